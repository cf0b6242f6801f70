/* Counters that plain loops have used before data move them: an alignment's matrix, and the way back through it. */
#include <stdint.h>
#define A 9
#define B 7

void traceback(int8_t p[A], int8_t q[B], int8_t way[(A + 1) * (B + 1)], int8_t left[A + B], int32_t ends[3])
{
    int a, b, n;
    rows: for (b = 1; b < B + 1; b++) {
        cells: for (a = 1; a < A + 1; a++)
            if ((p[a - 1] ^ q[b - 1]) & 2)
                way[b * (A + 1) + a] = 1;
            else if (p[a - 1] > q[b - 1])
                way[b * (A + 1) + a] = 2;
            else
                way[b * (A + 1) + a] = 3;
    }
    a = A;
    b = B;
    n = 0;
    back: while (a > 0 && b > 0) {
        int at = way[b * (A + 1) + a];
        if (at == 1) {
            left[n++] = p[a - 1];
            a--;
            b--;
        } else if (at == 2) {
            left[n++] = -1;
            b--;
        } else {
            left[n++] = q[b - 1];
            a--;
        }
    }
    ends[0] = a;
    ends[1] = b;
    ends[2] = n;
}
