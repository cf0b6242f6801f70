#include <stdint.h>

/* Four element widths in one statement, a 64-bit accumulation and a 64-bit scalar. */
#pragma burstc size(N: 33, max 128)
void widths(int N, int8_t a[N][N], uint16_t b[N], int64_t c[N], int64_t bias)
{
#pragma burstc tile(i:10, j:16)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            c[i] += (int64_t)a[i][j] * b[j] + (bias ^ j);
}
