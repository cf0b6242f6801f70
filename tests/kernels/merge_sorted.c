#include <stdint.h>

/* Two sorted arrays of any lengths into one: what is left of either follows, and how often an element of the second came first. */
#pragma burstc size(n: 16, max 128)
#pragma burstc size(m: 16, max 128)
void merge_sorted(int n, int m, const int32_t a[n], const int32_t b[m], int32_t merged[n + m], int32_t seconds[1])
{
    int i = 0, j = 0, k = 0, count = 0;
    while (i < n && j < m) {
        if (a[i] <= b[j]) {
            merged[k++] = a[i++];
        } else {
            merged[k++] = b[j++];
            count++;
        }
    }
    while (i < n)
        merged[k++] = a[i++];
    while (j < m)
        merged[k++] = b[j++];
    seconds[0] = count;
}
