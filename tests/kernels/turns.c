#include <stdint.h>

/* Two rows that take turns: by number, by numbers that are swapped, and by pointers that are. */
#pragma burstc size(n: 9, max 40) size(T: 5, max 9)
void turns(int n, int T, int32_t a[2][n], int32_t b[2][n], int32_t c[2][n])
{
    enum { FIRST, SECOND };
    int cur = FIRST, nxt;
    for (int t = 0; t < T; t++) {
        nxt = 1 - cur;
        for (int i = 1; i < n - 1; i++)
            a[nxt][i] = a[cur][i - 1] + a[cur][i + 1];
        cur = nxt;
    }
    int from = FIRST, to = SECOND;
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < n - 1; i++)
            b[to][i] = b[from][i - 1] - b[from][i + 1];
        int other = from;
        from = to;
        to = other;
    }
    int32_t *p = c[0], *q = c[1];
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < n - 1; i++)
            q[i] = p[i - 1] ^ p[i + 1];
        int32_t *other = p;
        p = q;
        q = other;
    }
}
