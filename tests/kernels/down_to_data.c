#include <stdint.h>

#pragma burstc size(n: 9, max 20)
#pragma burstc range(w: 0..30)
#pragma burstc range(q: 0..40)
/* Loops down to data, from data down, and in steps up to data; bounds by masks and remainders of data. */
void down_to_data(int n, const int w[n], const int q[n + 1], const uint8_t x[n], int dp[31], int a[64], uint16_t b[64],
                  int o[n])
{
    for (int i = 0; i < n; i++)
        for (int c = 30; c >= w[i]; c--)
            if (dp[c - w[i]] > dp[c] - i)
                dp[c] = dp[c - w[i]] + i;
    for (int i = 0; i < n; i++) {
        for (int j = q[i + 1] - 1; j >= q[i]; j--)
            a[j] += j + i;
        for (int j = 60; j > q[i]; j -= 3)
            a[j] ^= j;
        for (unsigned j = q[i]; j > 0; j--)
            b[j - 1] += i;
        for (int j = 1; j < q[i]; j += 4)
            b[j] -= 3;
    }
    for (int i = 0; i < n; i++) {
        int s = 0, m = x[i] & 7;
        const unsigned r = x[i] % 5, h = x[i] >> 4;
        for (int j = 0; j < m; j++)
            s += j * i;
        for (unsigned j = 0; j < r; j++)
            s ^= j * 3;
        for (int j = h; j >= 0 && j > i - 4; j--)
            s -= j;
        o[i] = s;
    }
}
