#include <stdint.h>

#define ROWS 6
#define COLUMNS 20

/* One loop over all elements, with a row and a column that carry. */
#pragma burstc size(h: 5, max 20)
#pragma burstc size(w: 7, max 20)
void carries(int h, int w, const int32_t in[ROWS * COLUMNS], int32_t out[ROWS * COLUMNS], int32_t cube[2][3][4],
             const int32_t flat[h * w], int32_t grid[h][w])
{
    int32_t local[ROWS][COLUMNS];
    for (int t = 0, i = 0, j = 0; t < ROWS * COLUMNS; t++, j++) {
        if (j == COLUMNS) {
            j = 0;
            i++;
        }
        local[i][j] = in[t] + j;
    }
    int r = 0, c = 0, t = 0;
    while (t < ROWS * COLUMNS) {
        out[t] = local[ROWS - 1 - r][c];
        t++;
        if (++c >= COLUMNS) {
            c = 0;
            r++;
        }
    }
    int x = 0, y = 0, z = 0;
    for (int k = 0; k < 24; k++) {
        cube[x][y][z] += k;
        z++;
        if (z == 4) {
            z = 0;
            y++;
        }
        if (y == 3) {
            y = 0;
            x++;
        }
    }
    int row = 0, column = 0;
    for (int k = 0; k < h * w; k++) {
        grid[row][column] += flat[k] * row;
        if (column == w - 1) {
            column = 0;
            row++;
        } else
            column++;
    }
}
