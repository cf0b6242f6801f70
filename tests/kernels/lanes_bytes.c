#include <stdint.h>

/* Bytes along the row, from an offset on. */
#pragma burstc size(N: 100, max 500)
void lanes_bytes(int N, uint8_t k, uint8_t a[N + 3], uint8_t b[N], uint8_t c[N])
{
#pragma burstc tile(i:64) lanes(8)
    for (int i = 0; i < N; i++)
        c[i] = a[i + 3] * k + (b[i] >> 1);
}
