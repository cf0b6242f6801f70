#include <stdint.h>

/* Sweeps in place over time, nine points: tiling needs a skew. */
#pragma burstc size(T: 3, max 32) size(N: 13, max 64)
void seidel_time(int T, int N, int32_t a[N][N])
{
    for (int t = 0; t < T; t++)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] +
                           a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) / 9;
}
