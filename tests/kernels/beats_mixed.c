#include <stdint.h>

/* Elements of all widths in one loop, each array a little off: beats of a bus hold 1 to 8 of them. */
#pragma burstc size(N: 9, max 100) size(M: 41, max 100)
void beats_mixed(int N, int M, int8_t a[N][M + 1], uint16_t b[N][M + 2], int32_t c[N][M], int64_t d[N][M + 1], int32_t e[M])
{
#pragma burstc tile(i:4, j:32) lanes(8)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            d[i][j + 1] = a[i][j + 1] + b[i][j + 2] * (c[i][j] ^ e[j]);
}
