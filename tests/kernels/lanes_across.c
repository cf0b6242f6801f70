#include <stdint.h>

/* Columns in lanes, rows in lanes, and rows in beats: a in banks by the sum of its subscripts. */
#pragma burstc size(N: 37, max 40, M: 29, max 40)
void lanes_across(int N, int M, int16_t a[N][M + 3], int16_t x[M], int16_t w[N], int32_t y[N], int32_t z[M])
{
#pragma burstc tile(i:16, j:16) lanes(4)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            y[i] = 5 * y[i] - a[i][j + 1] * x[j];
            z[j] = 3 * z[j] + a[i][j + 3] * w[i];
        }
}
