#include <stdint.h>

/* Rows of the one array are columns of the other. */
#pragma burstc size(N: 33, max 256) size(M: 20, max 256)
void transpose(int N, int M, int16_t a[N][M], int16_t b[M][N])
{
#pragma burstc tile(i:16, j:8)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            b[j][i] = a[i][j];
}
