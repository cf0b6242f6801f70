#include <stdint.h>

/* restrict in array parameters and pointers to rows. */
#pragma burstc size(N: 16, max 64)
#pragma burstc extent(a: N)
void restrict_pointers(int N, const int32_t x[restrict N], int32_t (*restrict a)[N], int64_t y[restrict static N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            y[i] += (int64_t)a[j][i] * x[j];
}
