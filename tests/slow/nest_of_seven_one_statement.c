/* Seven loops, convolution with batches, and a second accumulation over the same loops. */
#include <stdint.h>

#pragma burstc size(B: 2, max 4) size(K: 4, max 8) size(C: 4, max 8) size(H: 4, max 8) size(W: 4, max 8)
void nest_of_seven_one_statement(int B, int K, int C, int H, int W, int32_t out[B][K][H][W], int32_t sum[B][K],
                                 const int32_t in[B][C][H + 2][W + 2], const int32_t w[K][C][3][3])
{
    for (int b = 0; b < B; b++)
        for (int k = 0; k < K; k++)
            for (int c = 0; c < C; c++)
                for (int h = 0; h < H; h++)
                    for (int v = 0; v < W; v++)
                        for (int r = 0; r < 3; r++)
                            for (int s = 0; s < 3; s++) {
                                out[b][k][h][v] += in[b][c][h + r][v + s] * w[k][c][r][s];
                                sum[b][k] += in[b][c][h + r][v + s];
                            }
}
