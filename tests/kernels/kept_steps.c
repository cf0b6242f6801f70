#include <stdint.h>

/* Loops whose steps are counted by loops around them, and heads up to a root: a sieve, sums of divisors, least factors. */
#pragma burstc size(n: 40, max 64)
void kept_steps(int n, uint8_t composite[n + 1], int32_t sums[n + 1], uint8_t least[n + 1])
{
    for (int i = 0; i <= n; i++) {
        composite[i] = i < 2;
        sums[i] = 0;
    }
    for (int i = 2; i * i <= n; i++)
        if (!composite[i])
            for (int k = i * i; k <= n; k += i)
                composite[k] = 1;
    for (int i = 1; i <= n; i++)
        for (int k = i; k <= n; k += i)
            sums[k] += i;
    for (int i = 2; i <= n; i++) {
        int d;
        for (d = 2; d * d <= i; d++)
            if (i % d == 0)
                break;
        least[i] = d * d <= i ? d : i;
    }
}
