#include <stdint.h>

/* Convolution of a byte image with nine 16-bit weights, clamped to bytes: a nest of four loops, a local sum. */
#pragma burstc size(H: 13, max 128) size(W: 21, max 128)
void conv3x3(int H, int W, uint8_t in[H][W], int16_t weight[3][3], uint8_t out[H][W], int shift)
{
    for (int y = 1; y < H - 1; y++)
        for (int x = 1; x < W - 1; x++) {
            int32_t sum = 0;
            for (int v = 0; v < 3; v++)
                for (int u = 0; u < 3; u++)
                    sum += in[y + v - 1][x + u - 1] * weight[v][u];
            sum >>= shift & 15;
            out[y][x] = sum < 0 ? 0 : sum > 255 ? 255 : sum;
        }
}
