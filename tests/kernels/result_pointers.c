#include <stdint.h>

#pragma burstc size(n: 60, min 1, max 500)
/* Results through pointers of which the first element alone is used. */
void result_pointers(int n, const int16_t x[n], int *low, int *high, int64_t *sum)
{
    *low = x[0];
    *high = x[0];
    *sum = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] < *low)
            *low = x[i];
        if (x[i] > high[0])
            *high = x[i];
        *sum += x[i];
    }
}
