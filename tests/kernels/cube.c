#include <stdint.h>

/* Three subscripts with different extents; an in-place update along the strip. */
#pragma burstc size(N: 9, max 64) size(M: 7, max 64)
void cube(int N, int M, int32_t a[N][M][N])
{
#pragma burstc tile(i:4, j:4, k:4)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            for (int k = 1; k < N; k++)
                a[i][j][k] += a[i][j][k - 1];
}
