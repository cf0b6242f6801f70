#include <stdint.h>

/* Longest common subsequence of two texts: borders set by two loops, then a wavefront; bytes and 16-bit lengths. */
#pragma burstc size(N: 19, max 128) size(M: 23, max 128)
void lcs(int N, int M, uint8_t a[N], uint8_t b[M], uint16_t length[N + 1][M + 1])
{
    for (int i = 0; i <= N; i++)
        length[i][0] = 0;
    for (int j = 1; j <= M; j++)
        length[0][j] = 0;
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= M; j++)
            length[i][j] = a[i - 1] == b[j - 1]                  ? length[i - 1][j - 1] + 1
                           : length[i - 1][j] > length[i][j - 1] ? length[i - 1][j]
                                                                 : length[i][j - 1];
}
