#include <stdint.h>

static void scale(int32_t *p, int n, int by)
{
    for (int i = 0; i < n; i++)
        p[i] *= by;
}

/* Arrays of rows as one row of words: kept in a pointer, passed on, walked through, and by rows all the same. */
#pragma burstc size(n: 5, max 12) size(m: 7, max 12)
void whole_arrays(int n, int m, int32_t a[8][16], int32_t b[8][16], int32_t c[n][m])
{
    int32_t *p = &a[0][0];
    for (int i = 0; i < 128; i++)
        *p++ += i;
    scale(&b[0][0], 128, 3);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 16; j++)
            b[i][j] += a[7 - i][j];
    int32_t *whole = &c[0][0];
    for (int i = 0; i < n * m; i++)
        whole[i] += 5;
}
