#include <stdint.h>

/* One array forwards, one backwards; iterators as data. */
#pragma burstc size(N: 100, max 500)
void lanes_reverse(int N, int32_t a[N], int32_t b[N])
{
#pragma burstc tile(i:48) lanes(16)
    for (int i = 0; i < N; i++)
        b[N - 1 - i] = a[i] + 5 * i;
}
