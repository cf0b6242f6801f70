#include <stdint.h>

/* A skewed schedule: time and space along one strip. */
#pragma burstc size(N: 30, max 128) size(T: 9, max 64)
void jacobi(int T, int N, int32_t a[T + 1][N + 2])
{
#pragma burstc schedule((t,i) -> (t, t+i)) tile(4, 8)
    for (int t = 1; t <= T; t++)
        for (int i = 1; i <= N; i++)
            a[t][i] = a[t - 1][i - 1] + a[t - 1][i] + a[t - 1][i + 1];
}
