#include <stdint.h>

/* Elements go where a list of places says, only those that are positive; then some are read in order. */
#pragma burstc size(N: 300, max 2000)
void scatter(int N, const int16_t p[N], const int16_t v[N], int16_t y[1024], int16_t z[64])
{
    for (int i = 0; i < N; i++)
        if (v[i] > 0)
            y[p[i]] = v[i];
    for (int i = 0; i < 64; i++)
        z[i] = y[3 * i];
}
