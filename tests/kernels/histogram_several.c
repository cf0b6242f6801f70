#include <stdint.h>

/* Several statements write one array, at subscripts that depend on data and at others; its cells are subscripts, too. */
#pragma burstc size(N: 300, max 4096)
void histogram_several(int N, const uint8_t x[N], const uint8_t z[N], const int32_t w[256], int32_t h[4], int32_t s[N],
                       uint8_t next[64])
{
    for (int i = 0; i < N; i++) {
        h[x[i] & 3] += w[z[i]];
        h[z[i] & 3] -= i;
        h[2] += 1;
        s[i] = h[1] + h[3];
        next[next[i & 63] & 63] = z[i];
    }
}
