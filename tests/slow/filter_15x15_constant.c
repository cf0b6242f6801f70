/* The same over an image of constant extents. */
#include <stdint.h>
#define H 480
#define W 640

void filter_15x15_constant(const int16_t in[H][W], const int16_t f[15][15], int32_t out[H][W])
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            out[y][x] = 0;
            for (int dy = 0; dy < 15; dy++)
                for (int dx = 0; dx < 15; dx++)
                    if (y + dy >= 7 && y + dy - 7 < H && x + dx >= 7 && x + dx - 7 < W)
                        out[y][x] += in[y + dy - 7][x + dx - 7] * f[dy][dx];
        }
}
