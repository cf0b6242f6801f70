#include <stdint.h>

/* How often each byte is there: an update reads what the one before has written, at any distance. */
#pragma burstc size(N: 1000, max 2000000)
void histogram(int N, const uint8_t x[N], int32_t h[256])
{
    for (int i = 0; i < N; i++)
        h[x[i]] += 1;
}
