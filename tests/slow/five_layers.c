/* Five convolution layers, each feeding the next. */
#include <stdint.h>

#pragma burstc size(K: 4, max 16) size(H: 8, max 32) size(W: 8, max 32)
void five_layers(int K, int H, int W, const int32_t in[K][H + 10][W + 10], const int32_t w[5][K][K][3][3],
                 int32_t a[K][H + 8][W + 8], int32_t b[K][H + 6][W + 6], int32_t c[K][H + 4][W + 4],
                 int32_t d[K][H + 2][W + 2], int32_t out[K][H][W])
{
    int k, m, y, x, r, s;
#define LAYER(n, from, to, border)                                                      \
    for (k = 0; k < K; k++)                                                             \
        for (y = 0; y < H + border; y++)                                                \
            for (x = 0; x < W + border; x++) {                                          \
                to[k][y][x] = 0;                                                        \
                for (m = 0; m < K; m++)                                                 \
                    for (r = 0; r < 3; r++)                                             \
                        for (s = 0; s < 3; s++)                                         \
                            to[k][y][x] += from[m][y + r][x + s] * w[n][k][m][r][s];    \
            }
    LAYER(0, in, a, 8)
    LAYER(1, a, b, 6)
    LAYER(2, b, c, 4)
    LAYER(3, c, d, 2)
    LAYER(4, d, out, 0)
}
