#include <stdint.h>

/* A matrix product in strips of two dimensions: rows of a are loaded once, whatever the tiles along j. */
#pragma burstc size(N: 20, max 50, M: 20, max 40, K: 20, max 45)
void long_strips(int N, int M, int K, int32_t a[N][K], int16_t b[K][M], int32_t c[N][M])
{
#pragma burstc tile(i:8, j:8, k:16) strip(2)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            for (int k = 0; k < K; k++)
                c[i][j] += a[i][k] * b[k][j];
}
