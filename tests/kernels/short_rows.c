#include <stdint.h>

/* Heat in three dimensions: rows of 18 iterations in tiles of 256, too short for what only fills a window. */
#define N 20
#pragma burstc size(T: 16, max 16)
void short_rows(int T, int32_t a[N][N][N], int32_t b[N][N][N])
{
#pragma burstc schedule(S0[t,i,j,k] -> (t, j + 2*t, k + 2*t, i + 2*t); \
                        S1[t,i,j,k] -> (t, j + 2*t + 1, k + 2*t + 1, i + 2*t + 1)) tile(64, 256, 256, 256)
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                for (int k = 1; k < N - 1; k++)
                    b[i][j][k] = a[i + 1][j][k] + a[i - 1][j][k] + a[i][j + 1][k] + a[i][j - 1][k]
                                 + a[i][j][k + 1] - 5 * a[i][j][k - 1];
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                for (int k = 1; k < N - 1; k++)
                    a[i][j][k] = b[i + 1][j][k] + b[i - 1][j][k] + b[i][j + 1][k] + b[i][j - 1][k]
                                 + b[i][j][k + 1] - 5 * b[i][j][k - 1];
    }
}
