#include <stdint.h>

/* A local table for every row: each iteration has its own, which data tell the places of. */
#pragma burstc size(M: 5, max 20)
void gather_rows_local(int M, const uint8_t x[M][16], const int16_t in[M][16], int16_t y[M][16])
{
    for (int r = 0; r < M; r++) {
        int16_t t[16];
        for (int i = 0; i < 16; i++)
            t[i] = in[r][i] - 3;
        for (int i = 0; i < 16; i++)
            y[r][i] = t[x[r][i] & 15];
    }
}
