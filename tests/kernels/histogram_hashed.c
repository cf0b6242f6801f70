#include <stdint.h>

/* Subscripts that are computed of data whose range a directive tells. */
#pragma burstc size(N: 100, max 4096) range(x: -20..19) range(w: 0..3)
void histogram_hashed(int N, const int16_t x[N], const uint8_t w[N], int32_t h[5][100])
{
    for (int i = 0; i < N; i++)
        h[w[i] + 1][(x[i] * 5 + 101) / 2] += x[i];
}
