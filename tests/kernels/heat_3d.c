#include <stdint.h>

/* Seven points of a space over time: depth four, three subscripts. */
#pragma burstc size(T: 2, max 8) size(N: 7, max 20)
void heat_3d(int T, int N, int32_t a[N][N][N], int32_t b[N][N][N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                for (int k = 1; k < N - 1; k++)
                    b[i][j][k] = ((a[i + 1][j][k] - 2 * a[i][j][k] + a[i - 1][j][k]) >> 3) +
                                 ((a[i][j + 1][k] - 2 * a[i][j][k] + a[i][j - 1][k]) >> 3) +
                                 ((a[i][j][k + 1] - 2 * a[i][j][k] + a[i][j][k - 1]) >> 3) + a[i][j][k];
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                for (int k = 1; k < N - 1; k++)
                    a[i][j][k] = ((b[i + 1][j][k] - 2 * b[i][j][k] + b[i - 1][j][k]) >> 3) +
                                 ((b[i][j + 1][k] - 2 * b[i][j][k] + b[i][j - 1][k]) >> 3) +
                                 ((b[i][j][k + 1] - 2 * b[i][j][k] + b[i][j][k - 1]) >> 3) + b[i][j][k];
    }
}
