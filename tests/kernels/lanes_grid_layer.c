#include <stdint.h>

/* A convolution layer on four channels by four columns: a word of the filters goes to four units, and so does one of the
   image, whose rows overlap from column to column. */
#pragma burstc size(K: max 12)
#pragma burstc size(C: max 6)
#pragma burstc size(H: max 12)
#pragma burstc size(W: max 20)
void lanes_grid_layer(int K, int C, int H, int W, int8_t x[C][H + 2][W + 2], int8_t f[K][C][3][3], int32_t y[K][H][W])
{
#pragma burstc schedule((k, h, w, c, r, s) -> (k, h, w, 2*c + r, 6*c + 2*r + s, c)) tile(8, 4, 16, 16, 64, 4) lanes(4, 1, 4, 1, 1, 1)
    for (int k = 0; k < K; k++)
        for (int h = 0; h < H; h++)
            for (int w = 0; w < W; w++)
                for (int c = 0; c < C; c++)
                    for (int r = 0; r < 3; r++)
                        for (int s = 0; s < 3; s++)
                            y[k][h][w] += x[c][h + r][w + s] * f[k][c][r][s];
}
