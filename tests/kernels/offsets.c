#include <stdint.h>

/* A window of 3 x 3 by offsets from -1 to 1, in tiles that run from -1 to 0. */
#pragma burstc size(H: 7, max 16) size(W: 9, max 16)
void offsets(int H, int W, int32_t in[H][W], int32_t out[H][W], int32_t w[3][3])
{
    for (int y = 1; y < H - 1; y++)
        for (int x = 1; x < W - 1; x++) {
            out[y][x] = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    out[y][x] += in[y + dy][x + dx] * w[dy + 1][dx + 1];
        }
}
