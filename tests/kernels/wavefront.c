#include <stdint.h>

/* A wavefront over tiles along the diagonals: what lives of a tile is oblique. */
#pragma burstc size(N: 70, max 256)
#pragma burstc schedule(S0[i, j] -> (i + j, j)) tile(16, 16)
void wavefront(int N, int32_t a[N][N])
{
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++)
            a[i][j] = a[i][j] + a[i - 1][j] + 3 * a[i][j - 1];
}
