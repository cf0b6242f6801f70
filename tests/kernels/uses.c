#include <stdint.h>

/* Arrays read along two directions at once, each with a buffer of its own: rows i and j of a, columns and rows of d, the second
   half of x beside the first; e is written, and stays in one buffer. */
#pragma burstc size(N: 24, max 512)
#pragma burstc uses(apart)
void uses(int N, const int32_t a[N][N], const int16_t d[N][N], const int8_t x[2 * N], int32_t c[N][N], int32_t e[N][N])
{
#pragma burstc schedule(S0[i,j,k] -> (0, i, j, k)) tile(1, 8, 8, 8)
#pragma burstc schedule(S1[i,j] -> (1, i, j)) tile(1, 8, 8)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i][j] += a[i][k] * a[j][k] + d[i][k] * d[k][j] - x[k] * x[k + N];

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            e[i][j] = a[i][j] - (j < i ? d[i][j] : d[j][i]) + c[j][i];
}
