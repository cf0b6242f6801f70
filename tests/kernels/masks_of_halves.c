/* Halves of an array that one nest writes along rows, the other along columns: each has words with a bit, in a buffer of its own. */
#include <stdint.h>
#pragma burstc size(n: 24, max 512) size(m: 20, max 512)
void masks_of_halves(int n, int m, int16_t x[n][m], int16_t y[2 * n][m], int16_t z[n][m])
{
#pragma burstc tile(i:8, j:512) lanes(8)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (x[i][j] > 0)
                y[i][j] = x[i][j] + z[i][j];
#pragma burstc tile(j:8, i:512) lanes(8)
    for (int j = 0; j < m; j++)
        for (int i = 1; i < n; i++) {
            z[i][j] += z[i - 1][j];
            if (x[i][j] < 9)
                y[n + i][j] = x[i][j] * 2;
        }
}
