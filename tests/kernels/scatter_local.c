#include <stdint.h>

/* What is written is a local value of the iteration before, under a condition. */
#pragma burstc size(N: 100, max 4096)
void scatter_local(int N, const uint8_t x[N], int16_t y[8], int16_t end[1])
{
    int last = 1;
    for (int i = 0; i < N; i++) {
        if (x[i] > 20)
            y[x[i] & 7] = last;
        last = 3 * x[i];
    }
    end[0] = last;
}
