#include <stdint.h>

#pragma burstc size(n: 9, max 20)
#pragma burstc range(x: 0..15)
#pragma burstc range(p: 0..40)
#pragma burstc range(m: 0..20)
/* Where counters are behind loops that data end. */
void behind_data(int n, const int x[n], const int m[1], const int p[n + 1], const int v[41], int y[n], int z[n], int s[2])
{
    int j, e, k;
    for (int i = 0; i < n; i++) {
        for (j = 15; j > x[i]; j -= 3)
            z[i] ^= j;
        y[i] = j;
        for (j = 0; j < x[i]; j += 2)
            z[i] += j;
        y[i] += j << 8;
    }
    for (j = 0; j < n && j < m[0]; j++)
        s[0] ^= x[j];
    s[1] = j;
    for (int i = 0; i < n; i++) {
        int sum = 0, c = 0;
        for (e = p[i]; e < p[i + 1]; e++)
            sum += v[e] & 255;
        y[i] ^= sum + e;
        for (k = 0; k < x[i]; k++)
            c += k;
        while (k > 0) {
            c -= 3;
            k--;
        }
        z[i] -= c;
    }
}
