#include <stdint.h>

/* Iterators declared before the loops, one of them used by two loops. */
#pragma burstc size(N: 14, max 64)
void outer_iterators(int N, int32_t a[N][N], int32_t b[N])
{
    int i, j;
    for (i = 0; i < N; ++i)
        for (j = 0; j <= i; j = j + 1)
            a[i][j] = a[i][j] + i * 10 - j;
    for (i = 0; i < N; i++)
        b[i] = a[N - 1][i];
}
