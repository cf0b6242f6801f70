#include <stdint.h>

/* Loops that count by 2 and by 3, with bounds that the step does not meet. */
#pragma burstc size(N: 20, max 128)
void steps(int N, int32_t a[N][N], int32_t b[N][N])
{
    for (int i = 1; i < N; i += 2)
        for (int j = 0; j <= N - 1; j += 3)
            b[i][j] = a[j][i] + b[i - 1][j];
}
