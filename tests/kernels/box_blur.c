#include <stdint.h>

/* Mean of 3 x 3 bytes in two passes with 16-bit sums between them, which nobody wants outside. */
#pragma burstc size(H: 11, max 64) size(W: 18, max 64)
void box_blur(int H, int W, const uint8_t in[H][W], uint8_t out[H][W])
{
    uint16_t sums[64][64];
    for (int y = 0; y < H; y++)
        for (int x = 1; x < W - 1; x++)
            sums[y][x] = in[y][x - 1] + in[y][x] + in[y][x + 1];
    for (int y = 1; y < H - 1; y++)
        for (int x = 1; x < W - 1; x++)
            out[y][x] = (sums[y - 1][x] + sums[y][x] + sums[y + 1][x] + 4) / 9;
}
