#include <stdint.h>

/* Two arrays that take turns over time: two statements in a time loop. */
#pragma burstc size(T: 6, max 64) size(N: 40, max 512)
void jacobi_1d(int T, int N, int32_t a[N], int32_t b[N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
        for (int i = 1; i < N - 1; i++)
            a[i] = (b[i - 1] + b[i] + b[i + 1]) / 3;
    }
}
