#include <stdint.h>

/* Arguments of many types, and a local array. */
#pragma burstc size(N: 8, max 64) size(M: 6, min 2, max 40)
void blend(int N, long M, float s, int8_t lambda, _Bool inverted, uint8_t a[N][M], float b[N], int64_t c[M])
{
    int32_t rows[64];
    for (int i = 0; i < N; i++)
        rows[i] = 3 * i - 7;
    for (int i = 0; i < N; i++)
        b[i] = b[i] * s + rows[N - 1 - i];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            c[j] += inverted ? lambda - a[i][j] : a[i][j] + lambda;
}
