/* Finite differences in time: three fields on staggered grids. The last update has its product two differences later. */
#pragma burstc size(T: 3, max 16) size(N: 12, max 48) size(M: 15, max 48)
void float_fdtd(int T, int N, int M, float ex[N][M], float ey[N][M], float hz[N][M], float source[T])
{
    for (int t = 0; t < T; t++) {
        for (int j = 0; j < M; j++)
            ey[0][j] = source[t];
        for (int i = 1; i < N; i++)
            for (int j = 0; j < M; j++)
                ey[i][j] = ey[i][j] - 0.5f * (hz[i][j] - hz[i - 1][j]);
        for (int i = 0; i < N; i++)
            for (int j = 1; j < M; j++)
                ex[i][j] = ex[i][j] - 0.5f * (hz[i][j] - hz[i][j - 1]);
        for (int i = 0; i < N - 1; i++)
            for (int j = 0; j < M - 1; j++)
                hz[i][j] = hz[i][j] - 0.7f * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}
