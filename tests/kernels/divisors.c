#include <stdint.h>

/* Loops that end at the root of data: primes, prime factors. */
void divisors(const uint8_t a[3], const int16_t b[3], uint8_t prime[3], int32_t factors[3])
{
    for (int i = 0; i < 3; i++) {
        unsigned x = a[i] & 63;
        int is_prime = x > 1;
        for (unsigned d = 2; d * d <= x; d++)
            if (x % d == 0) {
                is_prime = 0;
                break;
            }
        prime[i] = is_prime;
        int n = b[i] & 31, sum = 0;
        for (int d = 2; d * d <= n; d++)
            while (n > 0 && n % d == 0) {
                n /= d;
                sum = sum * 8 + d;
            }
        factors[i] = n > 1 ? sum * 8 + n : sum;
    }
}
