#include <stdint.h>

/* Forward substitution: division by data, whose range must not hold 0. */
#pragma burstc size(N: 24, max 96)
void trisolv(int N, int32_t l[N][N], int32_t x[N], int32_t b[N])
{
    for (int i = 0; i < N; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= l[i][j] * x[j];
        x[i] = x[i] / l[i][i];
    }
}
