#include <stdint.h>

/* Neighbours to all sides: groups that begin in three different banks. */
#pragma burstc size(N: 20, max 60, M: 20, max 60)
void lanes_jacobi(int N, int M, int32_t a[N][M], int32_t b[N][M])
{
#pragma burstc tile(i:16, j:16) lanes(4)
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < M - 1; j++)
            b[i][j] = 3 * a[i][j] + a[i - 1][j] - a[i + 1][j] + a[i][j - 1] * a[i][j + 1];
}
