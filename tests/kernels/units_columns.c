// Columns that are three off the loop, in tiles of a size that is no power of two: neighbours in memory belong to different units. In
// a column every cell needs the one before.
#include <stdint.h>
#pragma burstc size(N: 21, max 50) size(M: 9, max 30)
void units_columns(int N, int M, const int8_t a[M][N], const uint8_t limits[N], int8_t y[M][N + 3], int16_t last[2 * N + 1])
{
#pragma burstc tile(i:6, j:4) units(i:4)
    for (int i = 0; i < N; i++) {
        for (int j = 1; j < M; j++)
            if (a[j][i] < limits[i])
                y[j][i + 3] = y[j - 1][i + 3] + a[j - 1][i];
        last[i] = limits[i];
    }
}
