/* Loops that end on a constant beside data, on two counters, on what iterations before have changed, and on what none changes. */
#include <stdint.h>
#define N 24
#pragma burstc size(n: 9, min 0, max 16)
void ends_of_rounds(int n, const int32_t a[N], int32_t b[N], int32_t c[8])
{
    int i = 0, k = 7, s = 0;
    while (1) {
        if (i >= 20)
            break;
        if ((a[i] & 31) == 7)
            break;
        b[i] += 3;
        i++;
    }
    c[0] = i;
    i = 0;
    for (int r = 0; r < 21 && i < n; r++) {
        b[i] ^= r;
        i++;
    }
    for (i = 2; i < 20; i++) {
        if (i & 1)
            k++;
        c[1] += i;
    }
    for (i = 0; i < 20 && k - 9 < n; i++)
        c[2] += k;
    i = 0;
    do {
        if ((a[i] & 15) == 3)
            break;
        c[3] += 5;
        i++;
    } while (i < n && (n & 2));
    for (i = 0; i < n; i++) {
        int lo = 0, hi = 16;
        while (lo + 1 < hi) {
            int mid = (lo + hi) / 2;
            if (a[mid] <= b[i])
                lo = mid;
            else
                hi = mid;
        }
        s += lo;
    }
    c[4] = s;
    for (i = 0, k = 1; i < n; i++)
        if (a[i] & 1)
            k += a[i];
    c[5] = k;
}
