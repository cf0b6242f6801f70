#include <stdint.h>

/* Elements move back by ever smaller gaps, as far as what stands there is larger. */
#pragma burstc size(n: 24, max 64)
void shell_sort(int n, int32_t a[n])
{
    for (int gap = 32; gap > 0; gap /= 2)
        for (int i = gap; i < n; i++) {
            int32_t x = a[i];
            int j = i;
            while (j >= gap && a[j - gap] > x) {
                a[j] = a[j - gap];
                j -= gap;
            }
            a[j] = x;
        }
}
