#include <stdint.h>

/* Two levels from 16-bit pixels: comparison as value, bytes out, tiled by hand. */
#pragma burstc size(H: 9, max 128) size(W: 37, max 128)
void threshold(int H, int W, int16_t in[H][W], uint8_t out[H][W], int16_t low, int16_t high)
{
#pragma burstc tile(y:4, x:16)
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            out[y][x] = 255 * (in[y][x] >= low && in[y][x] <= high);
}
