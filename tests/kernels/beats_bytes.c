#include <stdint.h>

/* Rows of bytes and shorts that begin anywhere in memory's words: four elements per cycle from and to memory. */
#pragma burstc size(N: 10, max 200) size(M: 37, max 200)
void beats_bytes(int N, int M, uint8_t a[N + 2][M + 3], int16_t b[N][M], uint8_t c[N + 1][M + 1])
{
#pragma burstc tile(i:2, j:24) lanes(4)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            c[i + 1][j + 1] = a[i + 2][j + 3] - a[i][j] + b[i][j];
}
