#include <stdint.h>

/* Pointers that take turns between arrays: swapped over time, those of arguments too, three of them, and chosen by data. */
#define SWAP(type, a, b)  \
    do {                  \
        type *other_ = a; \
        a = b;            \
        b = other_;       \
    } while (0)

static void smooth(int n, int32_t *to, const int32_t *from)
{
    for (int i = 1; i < n - 1; i++)
        to[i] = from[i - 1] - from[i + 1];
}

#pragma burstc size(n: 9, max 40) size(T: 5, max 9)
void swapped(int n, int T, int32_t a[n], int32_t b[n], int16_t p[n][7], int16_t q[n][7], int32_t wave[3 * n],
             int32_t x[n], int32_t y[n], int32_t z[n], int32_t last[n])
{
    int32_t *cur = a, *nxt = b;
    for (int t = 0; t < T; t++) {
        smooth(n, nxt, cur);
        SWAP(int32_t, cur, nxt);
    }
    if (cur != a)
        for (int i = 0; i < n; i++)
            last[i] = cur[i] * 2;
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < n; i++)
            for (int j = 0; j < 7; j++)
                q[i][j] += p[i - 1][j] ^ t;
        int16_t(*rows)[7] = p;
        p = q;
        q = rows;
    }
    int32_t *before = x, *now = y, *next = z;
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < n - 1; i++)
            next[i] = now[i - 1] + now[i + 1] - before[i];
        int32_t *own = before;
        before = now;
        now = next;
        next = own;
    }
    for (int i = 0; i < n; i++) {
        int32_t *one = last[i] & 1 ? wave : wave + n;
        one[i] = i;
        const int32_t *other = last[i] > 0 ? x : y;
        wave[2 * n + i] = other[i] - *(other + n - 1 - i);
    }
}
