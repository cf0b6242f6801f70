#include <stdint.h>

/* Tables in lanes: each lane has its own, read by where the lane is and by what it reads. */
static const int16_t window[3][5] = {{7, -9, 11, 4, -1}, {3, 3}, [2][1] = 300, -4};
static const uint8_t reversed[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

#pragma burstc size(N: 9, max 300)
void lanes_tables(int N, const uint8_t x[N][16], int32_t y[N][16])
{
#pragma burstc tile(r:8, j:16) lanes(4)
    for (int r = 0; r < N; r++)
        for (int j = 0; j < 16; j++)
            y[r][j] = window[2][x[r][j] % 5] * reversed[j] + window[x[r][j] & 1][4] * reversed[x[r][j] >> 4];
}
