#include <stdint.h>

/* The sums of a matrix's rows, read in blocks of 32 x 32: every row of a block is a burst of 128 bytes. */
#pragma burstc size(N: 64, max 1024) size(M: 64, max 1024)
void row_sums(int N, int M, int32_t a[N][M], int32_t s[N])
{
#pragma burstc tile(i:32, j:32)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            s[i] += a[i][j];
}
