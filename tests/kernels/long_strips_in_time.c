#include <stdint.h>

/* Skewed tiles of a plane over time: of a strip of two dimensions, what a row of tiles leaves on chip the next one takes
 * up, and what the strip stores of b the next one overwrites. */
#pragma burstc size(T: 5, max 12, N: 14, max 40)
void long_strips_in_time(int T, int N, int32_t a[N][N], int32_t b[N][N])
{
#pragma burstc schedule(S0[t,i,j] -> (t, i + 2*t, j + 2*t); S1[t,i,j] -> (t, i + 2*t + 1, j + 2*t + 1)) tile(3, 8, 4) strip(2)
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                b[i][j] = (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]) >> 2;
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                a[i][j] = (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]) >> 2;
    }
}
