/* Tiles of a loop around loops that data end, and of which one stands alone: those have no counter that a directive could name. */
#include <stdint.h>
#define N 50
#pragma burstc size(n: 50, min 0, max 50)
void tile_rounds(int n, const uint32_t x[N], uint32_t y[N], uint32_t sum[1])
{
    uint32_t s = 0;
#pragma burstc tile(i:8)
    for (int i = 0; i < n; i++) {
        uint32_t v = x[i], digits = 1;
        while (v >= 10) {
            v /= 10;
            digits++;
        }
        y[i] = digits;
        s += x[i];
    }
    while (s >> 16)
        s = (s & 0xffff) + (s >> 16);
    sum[0] = s;
}
