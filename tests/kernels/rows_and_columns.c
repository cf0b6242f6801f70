#include <stdint.h>

/* Filters along rows, and then along columns: `y` and `z` lie on chip row by row in one band of tiles and column by column in the
   other, in a buffer of each. */
#pragma burstc size(N: 20, max 256) size(M: 24, max 256)
#pragma burstc schedule(S0[i,j] -> (0, i); S1[i,j] -> (0, i)) tile(1, 8) lanes(4)
#pragma burstc schedule(S2[j,i] -> (1, j); S3[j,i] -> (1, j)) tile(1, 8) lanes(4)
void rows_and_columns(int N, int M, const int32_t a[N][M], int32_t y[N][M], int32_t z[N][M])
{
    for (int i = 0; i < N; i++)
        for (int j = 1; j < M; j++)
            y[i][j] = a[i][j] + 3 * y[i][j - 1];        // S0
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            z[i][j] = y[i][j] - a[i][j];                // S1
    for (int j = 0; j < M; j++)
        for (int i = 1; i < N; i++)
            y[i][j] += z[i][j] - 5 * y[i - 1][j];       // S2
    for (int j = 0; j < M; j++)
        for (int i = 0; i < N; i++)
            z[i][j] ^= y[i][j];                         // S3
}
