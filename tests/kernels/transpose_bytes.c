#include <stdint.h>

/* Transpose of bytes: every column of a tile begins and ends inside memory words; tiled by hand. */
#pragma burstc size(N: 21, max 128) size(M: 30, max 128)
void transpose_bytes(int N, int M, uint8_t a[N][M], uint8_t b[M][N])
{
#pragma burstc tile(i:5, j:13)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            b[j][i] = a[i][j];
}
