// Counters that end where their squares do, and 1 and 0 by what is true in subscripts and bounds.
#include <stdint.h>

#pragma burstc size(n: 100, max 200)
void sieve(int n, uint8_t composite[n + 1], int16_t gaps[n + 1], int32_t roots[16])
{
    for (int i = 2; i * i <= n; i++)
        for (int j = i * i; j <= n; j += i)
            composite[j] = 1;
    for (int i = 0; i * i < 200; i++)
        roots[i] = i * i;
    for (int i = 0; n > 2 && i < n; i++)
        gaps[i + (i > 9)] = composite[i + !(i & 1)];
    for (int i = 0; i < n - (n > 50 || n == 7); i++) {
        if (n & 1)
            break;
        gaps[i] ^= i;
    }
}
