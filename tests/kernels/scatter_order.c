#include <stdint.h>

/* Writes to one array that take longer than those behind them: the last one of a cell stays. */
#pragma burstc size(N: 100, max 4096)
void scatter_order(int N, const uint8_t x[N], const int32_t z[N], int32_t y[4], int32_t s[N])
{
    for (int i = 0; i < N; i++) {
        y[x[i] & 3] = z[i] * z[i] * z[i];
        y[(x[i] >> 2) & 3] = i;
        y[2] = -i;
        s[i] = y[1];
    }
}
