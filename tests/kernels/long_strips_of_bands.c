#include <stdint.h>

/* Bands whose strips have one dimension, two and three, over and over: all of x is one strip, of y every row of tiles. */
#pragma burstc size(T: 3, max 9, N: 12, max 30)
void long_strips_of_bands(int T, int N, int32_t x[N][N], int32_t y[N][N], int64_t z[N])
{
#pragma burstc schedule(S0[t,i,j] -> (t, 0, i, j)) tile(1, 1, 4, 8) strip(2)
#pragma burstc schedule(S1[t,i,j] -> (t, 1, i, j)) tile(1, 1, 4, 4)
#pragma burstc schedule(S2[t,i,j] -> (t, 2, i + j, i)) tile(1, 1, 8, 4) strip(3)
    for (int t = 0; t < T; t++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++)
                x[i][j] = x[i][j] + y[j][i] - t;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                y[i][j] = 3 * x[j][i] - y[i][j];
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                z[j] += x[i][j] - y[j][i];
    }
}
