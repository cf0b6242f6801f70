#include <stdint.h>

/* Inner loops that are empty for some outer iterations, in the beginning, in the middle and at the end. */
#pragma burstc size(N: 14, max 64) size(M: 6, max 64)
void empty_rows(int N, int M, int32_t a[N][N], int32_t b[N])
{
    for (int i = 0; i < N; i++) {
        for (int j = M; j < i; j++)
            b[i] += a[i][j];
        for (int j = i + M; j < N; j++)
            b[j] -= a[i][j];
        if (i == M || i == M + 2)
            for (int j = N - M; j < N - 1; j++)
                a[i][j] = b[j];
    }
}
