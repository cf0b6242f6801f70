#include <stdint.h>

/* A trapezoid: both bounds of the inner loop move with the outer iterator; tiled by hand. */
#pragma burstc size(N: 15, max 64) size(M: 10, max 64)
void trapezoid(int N, int M, int32_t a[N][2 * N + M], int32_t s[2 * N + M])
{
#pragma burstc tile(i:4, j:8)
    for (int i = 0; i < N; i++)
        for (int j = i; j < M + 2 * i; j++)
            s[j] += a[i][j];
}
