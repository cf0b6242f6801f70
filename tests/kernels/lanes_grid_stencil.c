#include <stdint.h>

/* A stencil on 4 x 2 units, then an outer product of its rows that run backwards, along a schedule's dimensions. */
#pragma burstc size(N: min 2, max 40)
void lanes_grid_stencil(int N, int16_t a[N][N], int16_t b[N][N], int16_t x[N], int16_t y[N], int16_t z[N][N])
{
#pragma burstc tile(i:8, j:8) lanes(i:4, j:2)
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1] - 4 * a[i][j];
#pragma burstc schedule((i, j) -> (j, i)) tile(8, 8) lanes(4, 2)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            z[N - 1 - i][j] = x[i] * y[N - 1 - j] + b[i][j] + i - j;
}
