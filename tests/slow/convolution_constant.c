/* A convolution layer with constant extents. */
#include <stdint.h>
#define K 16
#define C 16
#define H 8
#define W 8

void convolution_constant(const int32_t in[C][H + 2][W + 2], const int32_t w[K][C][3][3], int32_t out[K][H][W])
{
    for (int k = 0; k < K; k++)
        for (int c = 0; c < C; c++)
            for (int y = 0; y < H; y++)
                for (int x = 0; x < W; x++)
                    for (int r = 0; r < 3; r++)
                        for (int s = 0; s < 3; s++)
                            out[k][y][x] += in[c][y + r][x + s] * w[k][c][r][s];
}
