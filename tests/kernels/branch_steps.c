#include <stdint.h>

/* Counters that both sides of a condition move by the same, also one on data. */
#pragma burstc size(n: 17, max 100)
void branch_steps(int n, const int32_t a[n + 1], int32_t b[n + 1], int32_t c[2 * n + 2], int32_t behind[1])
{
    int i = 0;
    for (; i < n;) {
        if (a[i] > 0) {
            b[i] = a[i];
            i++;
        } else {
            b[i] = -a[i] * 2;
            i++;
        }
    }
    behind[0] = i;
    int k = 0, p = 0;
    while (k < n) {
        if (k % 3 == 0) {
            c[p] = k;
            p += 2;
            k++;
            continue;
        }
        c[p++] += a[k];
        c[p] ^= 3;
        k += 1;
        p++;
    }
}
