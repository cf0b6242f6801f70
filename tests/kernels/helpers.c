#include <stdint.h>

/* Pure static functions: one in another, an argument used twice, parameters that convert. */
static inline int32_t clamp(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

static uint8_t byte(int32_t value)
{
    return (uint8_t)clamp(value, 0, 255);
}

static int64_t mix(int16_t a, uint16_t b)
{
    int64_t product = a * (int64_t)b;
    return product + (product >> 4);
}

#pragma burstc size(N: 31, max 256)
void helpers(int N, int32_t a[N], uint8_t b[N], int64_t c[N])
{
    for (int i = 0; i < N; i++) {
        b[i] = byte(a[i] / 65536 + b[i]);
        c[i] += mix(a[i], a[i] + i) - clamp(b[i], 10, 20 + i);
    }
}
