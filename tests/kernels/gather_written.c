#include <stdint.h>

/* Tables that the kernel makes itself, and changes between and inside of the nests that read them at the values of bytes: a read comes
 * behind all writes before it, and a write behind all reads. */
#pragma burstc size(N: 60, max 200)
void gather_written(int N, const uint8_t p[N], const uint8_t x[N], int32_t t[256], float f[256], int32_t y[N], int32_t z[N])
{
    for (int i = 0; i < 256; i++)
        t[i] = t[i] * 3 + i;
    for (int i = 0; i < N; i++)
        y[i] = t[x[i]] + 1;
    for (int i = 0; i < 256; i++)
        t[i] = t[i] - 7;
    for (int i = 0; i < N; i++) {
        t[p[i]] = y[i];
        z[i] = t[x[i]] ^ i;
        t[i] = i;
    }
    for (int i = 0; i < N; i++) {
        t[i] = t[x[i]] + t[255 - p[i]];
        f[x[i]] = f[x[i] ^ 1] * 0.5f;
        t[x[i]] = i;
    }
}
