#include <stdint.h>

/* Product of two polynomials of degree N; a strip keeps its part of c on chip. */
#pragma burstc size(N: 100, max 4096)
void polymul_skewed(int N, int32_t a[N + 1], int32_t b[N + 1], int32_t c[2 * N + 1])
{
#pragma burstc schedule((i,j) -> (i+j, i)) tile(10, 10)
    for (int i = 0; i <= N; i++)
        for (int j = 0; j <= N; j++)
            c[i + j] += a[i] * b[j];
}
