#include <stdint.h>

static int min(int a, int b) { return a < b ? a : b; }

/* Types whose arithmetic wraps around, where it does not for the sizes of the domain: N >= M + 2, N <= 100. */
#pragma burstc size(N: 31, max 128) size(M: 4, max 32)
void typed_bounds(unsigned N, unsigned M, int32_t a[N + 1], int32_t b[N + 1])
{
    for (unsigned i = 0; i < N && i < N - M; i++)
        a[i] += b[i + M];
    unsigned most = N - M - 2;
    for (uint8_t i = 0; i < most; i++)
        b[i] = (unsigned)(i - 1) / 2;
    for (int8_t i = N + 27; i > 27; i -= 1)
        b[i - 28] ^= i;
    for (int i = 0; i < min(N, (long)M + 5); i++)
        a[i] -= i;
    for (unsigned i = N; i != 0; i--)
        a[i - 1] += b[i];
}
