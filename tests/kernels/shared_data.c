#include <stdint.h>

/* One array read and written by two nests over time, a reduction to one cell between them. */
#pragma burstc size(T: 3, max 16) size(N: 26, max 256)
void shared_data(int T, int N, uint16_t a[N], uint64_t sum[T + 1])
{
    for (int t = 0; t < T; t++) {
        for (int i = 0; i < N; i++)
            sum[t + 1] += (uint64_t)a[i] << (8 * (i & 3));
        for (int i = 0; i < N; i++)
            a[i] = (a[i] * 5 + (uint16_t)sum[t + 1]) ^ t;
    }
}
