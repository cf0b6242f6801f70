#include <stdint.h>

/* Strips overlap although what they keep on chip shares places from tile to tile: rows of a are loaded once a strip, cells of c before
 * its first tile and stored behind its last one. With few M a strip has one tile. */
#pragma burstc size(N: 37, max 64) size(M: 21, max 64)
void lanes_strips(int N, int M, int32_t a[N][M], int32_t b[M][N], int32_t c[N][N], int32_t d[N][N])
{
#pragma burstc schedule(S0[i,j,k] -> (0, i, j, k)) tile(1, 16, 8, 4) lanes(1, 4, 4, 1)
#pragma burstc schedule(S1[i,j] -> (1, i, j)) tile(1, 8, 8) lanes(4)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < M; k++)
                c[i][j] += a[i][k] * b[k][j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            d[i][j] += c[i][j] * 3;
}
