#include <stdint.h>

/* Statements that run in one cycle: a second order filter whose state moves on by copies, values of narrow types that
   others of the iteration take, a write of what was read before, and in another nest over the same iterations, the loops
   the other way round, more of the same. */
#pragma burstc size(N: 20, max 64) size(M: 25, max 64)
void together(int N, int M, int16_t x[N][M], int32_t y[N][M], uint8_t low[N][M], int16_t last[N][M], int8_t sum[M],
              int16_t scale)
{
    for (int i = 0; i < N; i++) {
        int32_t y1 = 0, y2 = 0;
        int16_t x1 = 1;
        for (int j = 0; j < M; j++) {
            y[i][j] = 3 * x[i][j] + x1 - scale * y1 + 5 * y2;
            last[i][j] = x1;
            x1 = x[i][j];
            y2 = y1;
            y1 = y[i][j];
            low[i][j] = y1 ^ (i + j);
            x[i][j] = low[i][j] - y2;
        }
    }
    for (int k = 0; k < M; k++)
        for (int l = 0; l < N; l++)
            sum[k] += l > 2 ? x[l][k] - 7 * low[l][k] : k;
}
