#include <stdint.h>

/* Rows across the groups, in which whole groups slide from iteration to iteration: of x along i, beside references in other
   columns. Then rows from group to group: what lanes read eight and sixteen elements ago, forwards. */
#pragma burstc size(N: 280, max 300) size(M: 21, max 40) size(L: 1800, max 2000)
void lanes_windows(int N, int M, int L, int16_t x[N][M], int32_t z[N][M], uint8_t v[L], int32_t w[L])
{
    #pragma burstc tile(i:256, j:16) lanes(8)
    for (int i = 2; i < N - 1; i++)
        for (int j = 1; j < M - 1; j++)
            z[i][j] += x[i - 2][j] + 3 * x[i - 1][j] - x[i][j] + 2 * x[i + 1][j] + x[i][j - 1] * x[i][j + 1];
    #pragma burstc tile(k:2048) lanes(8)
    for (int k = 16; k < L; k++)
        w[k] = v[k] + 5 * v[k - 8] - 3 * v[k - 16] + v[k - 1];
}
