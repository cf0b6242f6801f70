// One pass of a merge sort: halves of eight elements become one row. A counter is a place behind its loops, and what
// bounds the rows is named more than once.
#include <stdint.h>

static void merge(int32_t a[512], int start, int m, int stop)
{
    int32_t temp[512];
    int i, j, k;
    for (i = start; i <= m; i++)
        temp[i] = a[i];
    for (j = m + 1; j <= stop; j++)
        temp[m + 1 + stop - j] = a[j];
    i = start;
    j = stop;
    for (k = start; k <= stop; k++) {
        int32_t right = temp[j];
        int32_t left = temp[i];
        if (right < left) {
            a[k] = right;
            j--;
        } else {
            a[k] = left;
            i++;
        }
    }
}

#pragma burstc size(n: 4, max 32)
void merge_pass(int n, int32_t a[512])
{
    int i, from, mid, to, half;
    half = 8;
    for (i = 0; i < n; i++) {
        from = i * 16;
        mid = from + half - 1;
        to = from + half + half - 1;
        merge(a, from, mid, to);
    }
}
