#include <stdint.h>

static int wrapped(int16_t degrees)
{
    int d = degrees % 2000, e = degrees % 700;
    while (d >= 360)
        d -= 360;
    while (e < 0)
        e += 360;
    return d ^ e;
}

#pragma burstc size(n: 9, max 64)
/* What is left of data when a constant has been taken from them often enough, and how often that was. */
void taking(int n, uint8_t c[n], const int16_t x[n], int o[n], const uint64_t v[n])
{
    for (int i = 0; i < n; i++) {
        uint8_t y = c[i];
        while (y > 200)
            y -= 60;
        c[i] = y;
    }
    for (int i = 0; i < n; i++) {
        int quotient = 0, rest = x[i] & 127;
        while (rest >= 7) {
            rest -= 7;
            quotient++;
        }
        o[i] = quotient * 8 + rest + wrapped(x[i]) + (int)(v[i] % 10);
    }
}
