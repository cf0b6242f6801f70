#include <stdint.h>

/* Lanes along the sum, because a tile has fewer rows than lanes. */
#pragma burstc size(N: 20, max 60, M: 20, max 60)
void lanes_matvec(int N, int M, int16_t a[N][M], int16_t x[M], int64_t y[N])
{
#pragma burstc tile(i:4, j:16) lanes(8)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            y[i] -= a[i][j] * x[j];
}
