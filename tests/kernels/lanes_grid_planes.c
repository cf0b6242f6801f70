#include <stdint.h>

/* Planes on 2 x 4 units that lie across memory's rows: the buffers have banks along the rows too, as many as a word of memory has
   elements, of which iterations read and write one at a time. */
#pragma burstc size(K: max 10)
#pragma burstc size(H: max 12)
#pragma burstc size(W: max 24)
void lanes_grid_planes(int K, int H, int W, int16_t x[H][W], int8_t g[K][H], int16_t y[K][H][W], uint8_t z[H][K][W + 3])
{
#pragma burstc tile(k:4, h:8, w:8) lanes(k:2, h:4)
    for (int k = 0; k < K; k++)
        for (int h = 0; h < H; h++)
            for (int w = 0; w < W; w++) {
                y[k][h][w] = 3 * y[k][h][w] + x[h][w] * g[k][H - 1 - h];
                z[h][k][w + 3] = y[k][h][w] + z[h][k][w + 3] / 4;
            }
}
