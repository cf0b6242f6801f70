#include <stdint.h>

/* Divisions on the way to what is written: one update at a time. */
#pragma burstc size(N: 60, max 4096)
void scatter_divided(int N, const uint8_t x[N], const int32_t z[N], int32_t h[4], int32_t g[4], int32_t y[16])
{
    for (int i = 0; i < N; i++) {
        h[x[i] & 3] += z[i] / (x[i] + 1);
        g[x[i] & 3] = g[x[i] & 3] * 3 + z[i] / 7;
        y[x[i] % 16] = z[i] / (x[i] + 3);
    }
}
