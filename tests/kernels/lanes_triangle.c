#include <stdint.h>

/* Lanes that run depend on the inner loop. */
#pragma burstc size(N: 20, max 60)
void lanes_triangle(int N, int32_t a[N][N], int32_t b[N][N])
{
#pragma burstc tile(i:16, j:16) lanes(8)
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            a[i][j] = a[i][j] * 3 + b[i][j];
}
