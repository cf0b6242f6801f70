#include <stdint.h>

static int32_t gcd(int32_t a, int32_t b)
{
    while (b) {
        int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int bits(uint32_t value)
{
    int count = 0;
    while (value) {
        value &= value - 1;
        count++;
    }
    return count;
}

/* Loops that data end, in helpers and in the kernel: lower bounds by halves, the first element that is large, divisors, bits. */
#pragma burstc size(n: 20, max 100)
#pragma burstc size(m: 10, max 100)
void searches(int n, int m, const int32_t sorted[n], const int32_t keys[m], const int32_t table[n], const int16_t pairs[m][2],
              int32_t lower[m], int32_t first[m], int32_t divisor[m], int32_t ones[m])
{
    for (int q = 0; q < m; q++) {
        int low = 0, high = n;
        while (low < high) {
            int middle = low + (high - low) / 2;
            if (sorted[middle] < keys[q])
                low = middle + 1;
            else
                high = middle;
        }
        lower[q] = low;
        int i = 0;
        while (i < n && table[i] < keys[q])
            i++;
        first[q] = i;
        divisor[q] = gcd(pairs[q][0], pairs[q][1]);
        ones[q] = bits((uint32_t)keys[q]);
    }
}
