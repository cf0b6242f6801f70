#include <stdint.h>

/* Tile indices below zero; a schedule whose determinant is -2. */
#pragma burstc size(N: 13, max 64)
void negative(int N, int32_t a[N][N], int32_t b[N][N])
{
#pragma burstc schedule((i,j) -> (i+j, i-j)) tile(5, 4)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            b[i][j] = a[j][i] + i - j;
}
