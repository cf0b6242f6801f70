#include <stdint.h>

/* Two matrix-vector products, the second one transposed: two nests over one matrix. */
#pragma burstc size(N: 30, max 96)
void mvt(int N, int32_t x1[N], int32_t x2[N], int32_t y1[N], int32_t y2[N], int32_t a[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            x1[i] += a[i][j] * y1[j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            x2[i] += a[j][i] * y2[j];
}
