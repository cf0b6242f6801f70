/* Lanes that write the cells of their own words, of which data leave some as they are. */
#include <stdint.h>

#pragma burstc size(n: 150, max 4096)
void masks_in_lanes(int n, int32_t x[n], int16_t y[n], uint8_t z[n + 5])
{
#pragma burstc tile(i:64) lanes(4)
    for (int i = 0; i < n; i++) {
        y[i] = x[i] > 0 ? x[i] : y[i];
        if (x[i] & 3)
            z[i + 5] = x[i] >> 24;
    }
}
