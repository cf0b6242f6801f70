#include <stdint.h>

/* Rows of an array of three dimensions that begin further on, or further back, than the row before. */
#pragma burstc size(N: 20, max 24)
void moving_rows(int N, int16_t a[N][N][N], int32_t b[N][N][N])
{
#pragma burstc tile(i:4, j:8, k:8)
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++)
            for (int k = N - 1 - j; k < N; k++)
                b[i][j][k] += a[i][j][k] * 3;
}
