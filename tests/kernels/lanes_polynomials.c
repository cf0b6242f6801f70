#include <stdint.h>

/* Lanes along i with i + j fixed: a forwards, b backwards, one cell of c. */
#pragma burstc size(N: 20, max 60)
void lanes_polynomials(int N, int32_t a[N + 1], int32_t b[N + 1], int32_t c[2 * N + 1])
{
#pragma burstc schedule((i,j) -> (i+j, i)) tile(4, 16) lanes(8)
    for (int i = 0; i <= N; i++)
        for (int j = 0; j <= N; j++)
            c[i + j] += a[i] * b[j];
}
