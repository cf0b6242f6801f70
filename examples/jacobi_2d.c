#include <stdint.h>

/* Five points of a plane over time, two arrays in turn; schedule and tiles are found. */
#pragma burstc size(T: 16, max 32) size(N: 256, max 512)
void jacobi_2d(int T, int N, int32_t a[N][N], int32_t b[N][N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                b[i][j] = (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]) >> 2;
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                a[i][j] = (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]) >> 2;
    }
}
