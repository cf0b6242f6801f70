#include <stdint.h>

/* Tables that stay on chip as wholes, in rows that are shorter than the bits of an address allow: of two subscripts, and of
   three. */
#pragma burstc size(N: 70, max 70)
void summed_areas(int N, int32_t x[N][70], int32_t s[N][70], int16_t v[3][40][40], int16_t w[3][40][40])
{
#pragma burstc tile(i:128, j:128)
    for (int i = 1; i < N; i++)
        for (int j = 1; j < 70; j++)
            s[i][j] = x[i][j] + s[i - 1][j] + s[i][j - 1] - s[i - 1][j - 1];
#pragma burstc tile(i:4, j:64, k:64)
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 40; j++)
            for (int k = 0; k < 40; k++)
                w[i][j][k] = v[i][k][j] - v[i][j][k];
}
