#include <stdint.h>

/* Promotions and conversions: 8 by 8 bits in int, wrapping uint32_t, mixed signs, 64 bits, shifts, casts that cut. */
#pragma burstc size(N: 21, max 128)
void conversions(int N, int8_t a[N], uint8_t b[N], uint32_t c[N], int64_t d[N], uint16_t e[N])
{
    for (int i = 0; i < N; i++) {
        e[i] = a[i] * b[i];
        c[i] = c[i] * 2654435761u + a[i];
        d[i] = d[i] - (a[i] + c[i]) + (a[i] + (int64_t)c[i]);
        d[i] ^= (int64_t)((uint64_t)d[i] >> 60) << (b[i] % 64);
        c[i] -= (uint8_t)(b[i] << 3) + (int8_t)e[i] + (a[i] >> 2) + (c[i] >> 31);
        a[i] = (int16_t)e[i] < 0 ? (int8_t)(e[i] >> 8) : !!b[i];
    }
}
