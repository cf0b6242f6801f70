#include <stdint.h>

/* Two arrays merged: how far each has been read depends on the data. A whole sort would read so what it has written. */
#pragma burstc size(n: 16, max 128)
void merge(int n, const int32_t a[128], const int32_t b[128], int32_t merged[2 * n])
{
    int i = 0, j = 0;
    for (int k = 0; k < 2 * n; k++)
        if (j >= n || (i < n && a[i] <= b[j]))
            merged[k] = a[i++];
        else
            merged[k] = b[j++];
}
