#include <stdint.h>

/* Groups that begin wherever the inner loop says. */
#pragma burstc size(N: 40, max 100, K: 5, max 20)
void lanes_fir(int N, int K, int16_t h[K], int16_t x[N + K], int32_t y[N])
{
#pragma burstc tile(i:32, k:8) lanes(8)
    for (int i = 0; i < N; i++)
        for (int k = 0; k < K; k++)
            y[i] += h[k] * x[i + k];
}
