#include <stdint.h>

/* Loops that end at the root of data: primes, prime factors, whole roots. */
void divisors(const uint8_t a[6], const int16_t b[6], uint8_t prime[6], int32_t factors[6], int8_t root[6])
{
    for (int i = 0; i < 6; i++) {
        unsigned x = a[i];
        int is_prime = x > 1;
        for (unsigned d = 2; d * d <= x; d++)
            if (x % d == 0) {
                is_prime = 0;
                break;
            }
        prime[i] = is_prime;
        int n = b[i] & 63, sum = 0;
        for (int d = 2; d * d <= n; d++)
            while (n > 0 && n % d == 0) {
                n /= d;
                sum = sum * 8 + d;
            }
        factors[i] = n > 1 ? sum * 8 + n : sum;
        int r = 0;
        while ((r + 1) * (r + 1) <= a[i])
            r++;
        root[i] = r;
    }
}
