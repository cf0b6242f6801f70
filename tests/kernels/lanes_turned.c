#include <stdint.h>

/* Rows of b are prefix sums, which lanes run along columns; c is written along its rows, and read along its columns. */
#pragma burstc size(N: 37, max 40)
void lanes_turned(int N, int16_t a[N][N], int32_t b[N][N], int16_t c[N][N + 3], int32_t d[N])
{
#pragma burstc tile(i:32, j:16) lanes(4)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            c[i][j + 2] = 5 * a[i][j] + 1;
            if (j > 0)
                b[i][j] = b[i][j - 1] + c[i][j + 2];
            d[i] = 3 * d[i] + c[i][j + 2];
        }
}
