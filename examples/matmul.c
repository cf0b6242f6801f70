#include <stdint.h>

/* c += a * b, in blocks of 32 x 32; c stays on chip along a strip. */
#pragma burstc size(N: 64, max 1024)
void matmul(int N, int32_t a[N][N], int32_t b[N][N], int32_t c[N][N])
{
#pragma burstc tile(i:32, j:32, k:32)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i][j] += a[i][k] * b[k][j];
}
