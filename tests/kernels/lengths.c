#include <stdint.h>

/* Loops whose heads multiply and divide: a transform in place, sums by halves, and prefixes up to a size. */
#pragma burstc size(n: 21, max 32)
void lengths(int n, int32_t a[64], int32_t sums[64], int32_t prefix[n], int32_t next[n], int32_t told[8])
{
    int rounds = 0;
    for (int len = 2; len <= 64; len *= 2)
        for (int i = 0; i < 64; i += len)
            for (int j = 0; j < len / 2; j++) {
                int32_t u = a[i + j], v = a[i + j + len / 2];
                a[i + j] = u + v;
                a[i + j + len / 2] = u - v;
            }
    int half = 32;
    while (half > 0) {
        for (int i = 0; i < half; i++)
            sums[i] += sums[i + half];
        half >>= 1;
        rounds++;
    }
    told[0] = rounds;
    for (int step = 1; step < n; step <<= 1) {
        for (int i = 0; i < n; i++)
            next[i] = i >= step ? prefix[i] + prefix[i - step] : prefix[i];
        for (int i = 0; i < n; i++)
            prefix[i] = next[i];
        told[1] = step;
    }
    for (int k = 81, s = 2; k > 1; k = k / 3, s++)
        told[s] = k;
}
