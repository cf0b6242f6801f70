#include <stdint.h>

/* Local arrays: one per outer iteration, with a size as its extent, and one for the whole kernel. */
#pragma burstc size(N: 13, max 48)
void local_arrays(int N, int32_t a[N][N], int32_t b[N][N])
{
    int32_t weight[48];
    for (int j = 0; j < N; j++)
        weight[j] = 2 * j + 1;
    for (int i = 0; i < N; i++) {
        int32_t line[N];
        for (int j = 0; j < N; j++)
            line[j] = a[i][j] * weight[j];
        for (int j = 0; j < N; j++)
            b[i][j] = line[N - 1 - j] + line[j];
    }
}
