#include <stdint.h>

/* c += a * b with 16 iterations per cycle: 16 rows of c side by side, each with its own elements of a. */
#pragma burstc size(N: 128, max 1024)
void matmul_lanes(int N, int32_t a[N][N], int32_t b[N][N], int32_t c[N][N])
{
#pragma burstc tile(i:64, j:64, k:16) lanes(16)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i][j] += a[i][k] * b[k][j];
}
