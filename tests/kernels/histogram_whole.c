#include <stdint.h>

/* Cleared, counted, added up, and read in order. */
#pragma burstc size(N: 500, max 4096)
void histogram_whole(int N, const uint8_t x[N], uint32_t h[256], uint32_t c[256])
{
    for (int i = 0; i < 256; i++)
        h[i] = 0;
    for (int i = 0; i < N; i++)
        h[x[i]]++;
    for (int i = 1; i < 256; i++)
        h[i] += h[i - 1];
    for (int i = 0; i < 256; i++)
        c[i] = h[i] * 2;
}
