#include <stdint.h>

/* Rows long enough for words to slide from iteration to iteration, with gaps, forwards and backwards, beside references
   that do not, of two arrays and two statements. */
#pragma burstc size(N: 300, max 600) size(M: 3, max 4)
void windows(int N, int M, int16_t x[M][N], int32_t y[N], int32_t z[M][N])
{
    #pragma burstc tile(i:2, j:256)
    for (int i = 1; i < M; i++)
        for (int j = 3; j < N - 1; j++)
            z[i][j] += x[i][j - 3] + 2 * x[i][j - 1] - x[i][j] + 3 * x[i][j + 1] + x[i - 1][j + 1] * x[i - 1][j]
                - y[N - 1 - j] + 5 * y[N - j];
    #pragma burstc tile(k:256)
    for (int k = 2; k < N; k++)
        y[k] = z[0][k] ^ z[0][k - 2];
}
