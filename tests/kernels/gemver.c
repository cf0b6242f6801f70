#include <stdint.h>

/* Rank-two update, then two products with what it left: four nests in sequence, nine arrays. */
#pragma burstc size(N: 20, max 48)
void gemver(int N, int32_t alpha, int32_t beta, int32_t a[N][N], int32_t u1[N], int32_t v1[N], int32_t u2[N],
            int32_t v2[N], int32_t w[N], int32_t x[N], int32_t y[N], int32_t z[N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = a[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            x[i] = x[i] + beta * a[j][i] * y[j];
    for (int i = 0; i < N; i++)
        x[i] = x[i] + z[i];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            w[i] = w[i] + alpha * a[i][j] * x[j];
}
