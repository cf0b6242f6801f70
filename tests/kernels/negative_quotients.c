#include <stdint.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* Quotients and remainders of negative numbers, which round towards zero; a step from the largest of several values. */
#pragma burstc size(n: 13, max 40)
void negative_quotients(int n, int32_t a[n + 12], int32_t b[n + 12], int32_t c[n + 12])
{
    for (int i = 0; i < n; i++)
        a[(i - 5) / 3 + 2] += b[i] * ((i - 4) % 3) + ((i - 6) >> 2);
    for (int j = (n - 17) / 3; j <= (n - 3) / 2; j++)
        if ((j - 1) / 2 == 0)
            b[j + 9] += j + 1;
    for (int i = 0; i < n; i++)
        for (int j = MAX(i - 4, 0); j < i + 3; j += 2)
            c[j] += i;
}
