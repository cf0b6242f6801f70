#include <stdint.h>

/* Sums of products in 16 cells: each update waits for the one before. */
#pragma burstc size(N: 300, max 4096)
void histogram_float(int N, const uint8_t x[N], const float a[N], const float b[N], float h[16])
{
    for (int i = 0; i < N; i++)
        h[x[i] & 15] += a[i] * b[i];
}
