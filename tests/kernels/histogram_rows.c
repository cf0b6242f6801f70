#include <stdint.h>

/* A histogram of every row, one of all, and cells of two subscripts that depend on data. */
#pragma burstc size(N: 30, max 50) size(M: 20, max 50)
void histogram_rows(int N, int M, const uint8_t x[N][M], int32_t h[N][64], uint16_t all[16], int64_t p[4][8])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            h[i][x[i][j] & 63] += 1;
            all[x[i][j] >> 4] += i + j;
            p[x[i][j] & 3][x[i][j] >> 5] |= 1LL << (j & 31);
        }
}
