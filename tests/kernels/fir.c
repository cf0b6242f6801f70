#include <stdint.h>

/* Finite impulse response: 16-bit samples and taps, accumulation in 64 bits, rounding shift to 16. */
#pragma burstc size(N: 40, max 512) size(K: 7, max 32)
void fir(int N, int K, int16_t x[N + K], int16_t tap[K], int16_t y[N])
{
    for (int n = 0; n < N; n++) {
        int64_t sum = 1 << 14;
        for (int k = 0; k < K; k++)
            sum += (int64_t)x[n + k] * tap[K - 1 - k];
        y[n] = (int16_t)(sum >> 15);
    }
}
