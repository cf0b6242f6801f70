#include <stdint.h>

/* A filter whose coefficients are a table: they never cross the memory's pins. */
static const int16_t taps[32] = {
    -12, -20, -25, -18, 8, 54, 116, 183, 236, 254, 218, 118, -44, -244, -444, -596,
    -650, -564, -313, 101, 643, 1250, 1843, 2337, 2658, 2754, 2607, 2236, 1696, 1068, 441, -99,
};

#pragma burstc size(N: 256, max 4096)
void table_fir(int N, const int16_t x[N + 31], int32_t y[N])
{
    for (int n = 0; n < N; n++) {
        y[n] = 0;
        for (int k = 0; k < 32; k++)
            y[n] += taps[k] * x[n + k];
    }
}
