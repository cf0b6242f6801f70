#include <stdint.h>

/* Product of two polynomials of degree N; tiles of 10 x 10 along (N-j, i). */
#pragma burstc size(N: 100, max 4096)
void polymul(int N, int32_t a[N + 1], int32_t b[N + 1], int32_t c[2 * N + 1])
{
#pragma burstc schedule((i,j) -> (N-j, i)) tile(10, 10)
    for (int i = 0; i <= N; i++)
        for (int j = 0; j <= N; j++)
            c[i + j] += a[i] * b[j];
}
