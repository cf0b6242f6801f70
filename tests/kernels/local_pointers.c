#include <stdint.h>

static void add(int32_t *to, const int32_t *from, int n)
{
    for (int i = 0; i < n; i++)
        *to++ += *from++;
}

/* Pointers of the kernel's own: rows, places that move, ends, and arguments of helpers that move. */
#pragma burstc size(n: 6, max 20) size(m: 9, max 20)
void local_pointers(int n, int m, const int32_t a[n][m], const int32_t flat[n * m], const int32_t coef[4],
                    int32_t b[n][m], int32_t y[n * m], int32_t sums[n], int32_t line[m])
{
    for (int i = 0; i < n; i++) {
        const int32_t *row = a[i], *other = flat + i * m;
        int32_t *restrict to = &b[i][0];
        for (int j = 0; j < m; j++)
            to[j] = row[j] * 2 - *(other + m - 1 - j);
    }
    int32_t *q = y;
    for (const int32_t *p = flat; p < flat + n * m; p++)
        *q++ = *p + 1;
    for (int i = 0; i < n; i++) {
        int32_t *s = sums;
        s += i;
        *s = 0;
        for (int j = 3; j < m; j++) {
            const int32_t *p = &a[i][j], *c = coef;
            for (int k = 0; k < 4; k++)
                *s += *p-- * *c++;
        }
    }
    for (int i = 0; i < n; i++)
        add(line, a[i], m);
}
