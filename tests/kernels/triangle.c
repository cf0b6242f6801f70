#include <stdint.h>

/* Triangular product with a vector: rows of every length, a reduction in the innermost loop. */
#pragma burstc size(N: 33, max 256)
void triangle(int N, int32_t l[N][N], int32_t x[N], int32_t y[N])
{
#pragma burstc tile(i:8, j:8)
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            y[i] += l[i][j] * x[j];
}
