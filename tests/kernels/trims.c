// What both ends of a text have is cut off, what is left turned round, and the place where a table first has a value looked for.
#include <stdint.h>

#pragma burstc size(n: 24, max 100)
#pragma burstc size(m: 6, max 20)
void trims(int n, int m, const uint8_t s[n], const uint8_t t[m][m], uint8_t out[n], int at[4])
{
    int b = 0, e = n;
    while (e > 0 && (s[e - 1] & 3) == 0)
        e--;
    while (b < e && (s[b] & 1) == 0)
        b++;
    at[0] = b;
    at[1] = e;
    for (int k = 0; k < n; k++)
        out[k] = k >= b && k < e ? s[k] : 0;
    int low = 0, high = n;
    while (low < --high) {
        uint8_t x = out[low];
        out[low] = out[high];
        out[high] = x;
        low++;
    }
    int i, j = 7;
    for (i = 0; i < m; i++)
        for (j = 0; j < m; j++)
            if ((t[i][j] & 15) == 3)
                goto found;
    at[0] += 100;
found:
    at[2] = high;
    at[3] = j;
}
