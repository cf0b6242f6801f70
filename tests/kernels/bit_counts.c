// The compiler's functions on bits, and remarks for it.
#include <assert.h>
#include <stdint.h>

#pragma burstc size(n: 20, max 64)
void bit_counts(int n, int unused, const uint32_t a[n], const uint64_t b[n], int32_t c[n], int32_t d[n])
{
    (void)unused;
    assert(n >= 0);
    for (int i = 0; i < n; i++) {
        assert(b[i] != 0 || n > 0);
        (void)a[i];
        c[i] = __builtin_popcount(a[i]) + 100 * __builtin_clz(a[i] | 1) + 10000 * __builtin_ctz(a[i] | 256);
        c[i] += __builtin_parity(a[i]) << 20;
        d[i] = __builtin_popcountll(b[i]) + 100 * __builtin_clzll(b[i] | 1) + 10000 * __builtin_ctzl(b[i] | 65536);
        d[i] += __builtin_ffs((int)a[i] << 4) << 24;
    }
}
