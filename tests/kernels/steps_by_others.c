#include <stdint.h>

/* Steps by variables that change in the loop, or that hide others there: what they are outside says nothing. */
#pragma burstc size(n: 13, max 30)
void steps_by_others(int n, int32_t a[n * 30 + 40], int32_t b[64], int32_t c[3 * n + 4], int32_t d[2 * n + 4])
{
    int k = 0, s = 1;
    const int t = 1;
    for (int i = 0; i < n; i++) {
        a[k] = i;
        b[s] = i + 1;
        k += s;
        s += 1;
    }
    b[t] += 3;
    k = 0;
    for (int i = 0; i < n; i++) {
        const int t = i % 2 + 1;
        c[k] += i;
        k += t;
    }
    k = 1;
    for (int i = 0; i < n; i++) {
        const int t = 2;
        d[k] -= i;
        k += t;
    }
}
