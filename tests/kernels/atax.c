#include <stdint.h>

/* Matrix transpose times matrix times vector: a loop, then a loop with two loops inside. */
#pragma burstc size(M: 25, max 64) size(N: 18, max 64)
void atax(int M, int N, int32_t a[M][N], int32_t x[N], int32_t y[N], int32_t t[M])
{
    for (int i = 0; i < N; i++)
        y[i] = 0;
    for (int i = 0; i < M; i++) {
        t[i] = 0;
        for (int j = 0; j < N; j++)
            t[i] = t[i] + a[i][j] * x[j];
        for (int j = 0; j < N; j++)
            y[j] = y[j] + a[i][j] * t[i];
    }
}
