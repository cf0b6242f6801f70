#include <stdio.h>

/* Types, enumerators and constants of the function around the region, names that the file gives to others, a variable that
   is declared twice, helpers that end early. */
extern int scale;
int scale = 5;
int n = 9;
int a[24], b[24];

static void clear_from(int *values, int first)
{
    if (first < 0)
        return;
    for (int i = first; i < 24; i++)
        values[i] = 0;
    if (first > 20) {
        values[1] = 5;
        return;
    }
    values[23] = first;
}

int main(void)
{
    typedef short sample;
    typedef sample frame[3][8];
    enum { LAST = 23, STEP = 2 };
    frame x;
    for (int i = 0; i < 24; i++) {
        a[i] = i * i;
        x[i / 8][i % 8] = 3 * i;
    }
    {
        int n = 24;
        const int offset = 7;
#pragma scop
        for (int i = 0; i < n; i += STEP) {
            sample least = a[LAST - i];
            b[i] = least * scale + offset;
            x[i / 8][i % 8] = least + a[(i + 1) % n] - a[(i - 1 + n) % n];
        }
        clear_from(a, 22);
        clear_from(b, 16);
#pragma endscop
    }
    printf("%d %d %d\n", a[3] + n, b[4], x[1][2]);
    return 0;
}
