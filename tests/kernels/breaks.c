#include <stdint.h>

/* Loops that `break` ends at a count: at the beginning, in the middle and at the end of the body, several, and a value behind. */
#pragma burstc size(n: 17, max 100)
#pragma burstc size(m: 9, max 100)
void breaks(int n, int m, const int32_t a[200], int32_t first[n + 1], int32_t middle[n + 1], int32_t several[200],
            int32_t down[m + 1], int32_t triangle[n + 1][n + 1], int32_t behind[2])
{
    int i = 0;
    while (1) {
        if (i >= n)
            break;
        first[i] = a[i] + 1;
        i++;
    }
    int j = 0;
    for (;;) {
        middle[j] = a[j] * 3;
        if (j == n)
            break;
        middle[j] -= a[j + 1];
        j++;
    }
    behind[0] = j;
    for (int k = 0; k < 150; k++) {
        several[k] += a[k];
        if (k >= m)
            break;
        several[k] ^= a[k + 1];
        if (k == n)
            break;
        several[k + 1] += 5;
    }
    int d = m;
    do {
        down[d] = a[m - d];
        if (d == 0)
            break;
        down[d] += d;
        d--;
    } while (1);
    for (int y = 0; y <= n; y++) {
        int x = 0;
        while (1) {
            triangle[y][x] += a[x];
            if (++x > y)
                break;
        }
        behind[1] = x;
    }
}
