#include <stdint.h>

/* Reads that happen under a condition only: elsewhere there is no such element. */
#pragma burstc size(n: 21, max 64) size(m: 9, max 64)
void guards(int n, int m, int32_t a[n], int32_t b[n], int16_t c[n][m], int16_t d[n][m])
{
    for (int i = 0; i < n; i++)
        b[i] = (i > 0 ? a[i - 1] : 7) + a[i] + (i < n - 1 && a[i + 1] > 0) + (i % 3 == 1 ? b[i / 3] : 0)
               + (i > 4 ? b[i] : 3 * b[i]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            d[i][j] = (i > 0 && j > 0 ? c[i - 1][j - 1] : 0) + (i > 0 ? c[i - 1][j] : 0) + c[i][j] * 3
                      + (j == m - 1 ? 0 : c[i][j + 1]);
}
