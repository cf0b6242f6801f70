/* Seven loops with two arrays that every iteration updates. */
#include <stdint.h>

#pragma burstc size(N: 4, max 8)
void nest_of_seven(int N, int32_t x[N][N][N], int32_t y[N][N][N], int32_t a[N][N][N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                for (int l = 0; l < N; l++)
                    for (int m = 0; m < N; m++)
                        for (int n = 0; n < N; n++)
                            for (int o = 0; o < N; o++) {
                                x[i][j][k] += a[l][m][n][o];
                                y[m][n][o] += a[i][j][k][l];
                            }
}
