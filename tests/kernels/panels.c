#include <stdint.h>

/* A matrix that is updated by a row and a column of itself, which change on the way: both have local arrays. In the second nest the
   update has a statement beside it, and in the third the loops begin and end at the row. */
#pragma burstc size(N: 12, max 512)
#pragma burstc panels(d, e, f)
void panels(int N, uint32_t d[N][N], uint16_t e[N + 1][N + 1], int8_t f[N][N], uint32_t s[N])
{
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                d[i][j] = 3 * d[i][j] + d[i][k] * d[k][j] - d[i][k];

    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                s[j] += e[i][k + 1];
                e[i][j] = 5 * e[i][j] + e[k + 1][j] - e[i][k + 1];
            }

    for (int k = 0; k < N; k++)
        for (int j = 0; j <= k; j++)
            for (int i = k; i < N; i++)
                f[i][j] = f[i][j] + f[i][k] - f[k][j];
}
