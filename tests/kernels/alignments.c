#include <stdint.h>

/* Elements of one to eight bytes in rows of odd lengths: rows begin at any byte of a memory word. */
#pragma burstc size(N: 12, max 64) size(M: 7, max 32)
void alignments(int N, int M, uint8_t a[N][M], int16_t b[N][M + 2], uint32_t c[N][3], int64_t d[M][N], int8_t e[N][5])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            d[j][i] += a[i][j] * b[i][j + 1];
            b[i][j + 2] = b[i][j] - e[i][4];
            c[i][1] ^= (uint32_t)d[j][i];
            e[i][j % 3] = a[i][M - 1 - j];
        }
}
