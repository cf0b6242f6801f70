#include <stdint.h>

/* One statement whose iterations are pieces that no order holds together: a border that is copied, in units. */
#pragma burstc size(h: 12, min 3, max 64) size(w: 13, min 3, max 64)
void units_border(int h, int w, const uint8_t in[h][w], uint8_t out[h][w])
{
#pragma burstc schedule(S0[y,x] -> (x, y); S1[y,x] -> (x, y)) tile(16, 16) units(1, 2)
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
                out[y][x] = in[y][x];
            else
                out[y][x] = (in[y - 1][x] + in[y + 1][x] + in[y][x - 1] + in[y][x + 1] + 2) >> 2;
}
