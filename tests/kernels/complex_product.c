#include <stdint.h>

/* A complex matrix times a complex vector: the real and the imaginary part of a sum in one cycle. */
#pragma burstc size(N: 24, max 64) size(M: 24, max 64)
void complex_product(int N, int M, int16_t ar[N][M], int16_t ai[N][M], int16_t xr[M], int16_t xi[M], int32_t yr[N],
                     int32_t yi[N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            yr[i] += ar[i][j] * xr[j] - ai[i][j] * xi[j];
            yi[i] += ar[i][j] * xi[j] + ai[i][j] * xr[j];
        }
}
