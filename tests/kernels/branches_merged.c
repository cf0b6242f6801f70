/* Branches that all write one element: one statement, which keeps nothing where they cover all data. */
#include <stdint.h>

#pragma burstc size(n: 120, max 2048)
void branches_merged(int n, int32_t x[n], int32_t y[n], uint8_t q[n], uint8_t t[256], uint8_t z[n], float f[n])
{
    for (int i = 0; i < n; i++) {
        f[i] = 0.5f;
        if (x[i] > 1000000)
            y[i] = x[i] / 7;
        else if (x[i] < -1000000)
            y[i] = -x[i];
        else {
            y[i] = 3;
            f[i] = x[i] * 0.25f;
        }
        if (t[q[i]] > 100)
            z[i] = t[q[i]];
        else
            z[i] = q[i];
    }
}
