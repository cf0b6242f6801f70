#include <math.h>
#include <stdlib.h>

/* Functions in expressions that read whole arrays, under conditions of their own; library functions that choose. */
static int at(const int *v, int n, int i)
{
    if (i < 0)
        return v[0];
    else if (i >= n)
        return v[n - 1];
    return v[i];
}

static int pixel(const int image[9][7], int y, int x)
{
    return y < 0 || x < 0 || y >= 9 || x >= 7 ? 0 : image[y][x];
}

#pragma burstc size(n: 13, max 30)
void helper_reads(int n, int smooth[30], const int x[30], const int image[9][7], int sums[9][7], float clipped[30])
{
    for (int i = 0; i < n; i++)
        smooth[i] = at(x, n, i - 2) + 3 * at(x, n, i + 2) + abs(at(smooth, n, 0) - x[i]);
    for (int y = 0; y < 9; y++)
        for (int c = 0; c < 7; c++) {
            int s = 0;
            for (int k = -1; k <= 1; k++)
                s += pixel(image, y + k, c) + pixel(image, y, c + k);
            sums[y][c] = s;
        }
    for (int i = 0; i < n; i++)
        clipped[i] = fminf(fmaxf(clipped[i], -1000.0f), x[i]);
}
