#include <stdint.h>

/* Four lanes along j, which is neither the outermost nor the innermost loop of a tile. */
#pragma burstc size(N: 14, max 40)
void orders_in_lanes(int N, int16_t a[N][N], int16_t b[N][N], int32_t c[N][N])
{
#pragma burstc tile(i:8, j:8, k:8) lanes(4) order(k, j, i)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i][j] += a[i][k] * b[k][j];
}
