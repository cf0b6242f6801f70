#include <stdint.h>

/* Two sums: what is not added to one, right before, must not be in the next one. */
#pragma burstc size(N: 100, max 4096)
void histogram_positive(int N, const int16_t x[N], int32_t sums[2])
{
    for (int i = 0; i < N; i++)
        if (x[i] > 0)
            sums[x[i] & 1] += i;
}
