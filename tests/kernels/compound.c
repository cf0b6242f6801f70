#include <stdint.h>

/* Every compound assignment, on elements narrower and wider than int. */
#pragma burstc size(N: 23, max 256)
void compound(int N, int16_t a[N], uint8_t b[N], int64_t c[N])
{
    for (int i = 0; i < N; i++) {
        a[i] += b[i];
        a[i] -= 1000;
        a[i] *= 3;
        a[i] /= 7;
        a[i] %= 1001;
        b[i] &= 0x7e;
        b[i] |= a[i];
        b[i] ^= 0x55;
        b[i] <<= 1;
        c[i] >>= 9;
        c[i] <<= b[i] & 31;
        c[i]++;
        --a[i];
    }
}
