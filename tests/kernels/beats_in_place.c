#include <stdint.h>

/* Loaded, read, written and stored: fills, groups and drains meet at the banks. */
#pragma burstc size(N: 100, max 2000)
void beats_in_place(int N, int16_t k, int16_t x[N], int16_t y[N + 1])
{
#pragma burstc tile(i:64) lanes(4)
    for (int i = 0; i < N; i++)
        y[i + 1] += k * x[i];
}
