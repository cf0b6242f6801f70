#include <stdint.h>

// Three subscripts, of which the last is cut into slices of 5, no power of two; a float array is updated in place.
#pragma burstc size(N: 6, max 12) size(M: 7, max 12) size(K: 17, max 24)
#pragma burstc layout(x, w: tiles)
void slices_of_cubes(int N, int M, int K, float x[N][M][K], const float w[N][M][K])
{
#pragma burstc tile(i:2, j:4, k:5)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            for (int k = 0; k < K; k++)
                x[i][j][k] = x[i][j][k] * w[i][j][k] + 1.5f;
}
