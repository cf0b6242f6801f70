/* A 15 x 15 filter over an image; what lies outside counts as nothing. */
#include <stdint.h>

#pragma burstc size(H: 24, max 480) size(W: 32, max 640)
void filter_15x15(int H, int W, const int16_t in[H][W], const int16_t f[15][15], int32_t out[H][W])
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
