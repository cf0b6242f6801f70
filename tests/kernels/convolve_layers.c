#include <stdint.h>

/* A layer of a network: depth six, 8-bit data, 32-bit accumulators that start from a bias. */
#pragma burstc size(C: 3, max 8) size(K: 4, max 8) size(H: 6, max 16) size(W: 7, max 16)
void convolve_layers(int C, int K, int H, int W, int8_t in[C][H + 2][W + 2], int8_t weight[K][C][3][3],
                     int32_t bias[K], int32_t out[K][H][W])
{
    for (int k = 0; k < K; k++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                out[k][y][x] = bias[k];
                for (int c = 0; c < C; c++)
                    for (int v = 0; v < 3; v++)
                        for (int u = 0; u < 3; u++)
                            out[k][y][x] += in[c][y + v][x + u] * weight[k][c][v][u];
            }
}
