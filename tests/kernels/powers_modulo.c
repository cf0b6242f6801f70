/* Statements of one loop that divide, of products and of sums: they take turns at the divider, whatever they write. */
#include <stdint.h>
#define N 24
#pragma burstc size(n: 24, min 0, max 24)
void powers_modulo(int n, const uint32_t b[N], const uint8_t e[N], uint32_t power[N], uint32_t low[N])
{
    for (int i = 0; i < n; i++) {
        uint64_t r = 1, x = b[i];
        uint8_t k = e[i];
        for (int q = 0; q < 4; q++) {
            r = k ? r * x % 1000000007u : r;
            x = k ? x * x % 1000000007u : x;
            k = k >> 1;
        }
        power[i] = (uint32_t)r;
    }
    for (int i = 0; i < n; i++) {
        uint64_t r = 1, x = b[i];
        for (uint8_t k = e[i]; k; k >>= 1) {
            if (k & 1)
                r = r * x % 998244353u;
            x = x * x % 998244353u;
        }
        low[i] = (uint32_t)r;
    }
}
