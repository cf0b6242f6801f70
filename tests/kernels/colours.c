#include <stdint.h>

#pragma burstc size(h: 11, max 32)
#pragma burstc size(w: 19, max 48)
/* A filter of every colour alike. */
void colours(int h, int w, const uint8_t in[h][w][3], uint8_t out[h][w][3])
{
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++)
            for (int c = 0; c < 3; c++)
                out[y][x][c] =
                    (in[y - 1][x][c] + in[y][x - 1][c] + 4 * in[y][x][c] + in[y][x + 1][c] + in[y + 1][x][c]) / 8;
}
