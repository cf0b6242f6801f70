#include <stdint.h>

/* Sizes in subscripts: what lives at one time is bounded only because the sizes are. */
#pragma burstc size(N: 3, max 3) size(M: 3, max 3)
void size_in_subscripts(int N, int M, int32_t a[2 * M + N + 3][2 * M + N + 2])
{
    for (int i = 0; i <= N - 2; i++)
        for (int j = 0; j <= i - 1; j += 3)
            for (int k = 1; k <= M - 2; k++)
                a[M + i - k - 1][2 * k + 1] |= a[M + i][i] - (a[M + 2][j + 4] & a[M + j + k][2 * k + 2]);
}
