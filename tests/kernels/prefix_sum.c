#include <stdint.h>

/* Sums of all beginnings of a vector: an accumulator that lives across the whole loop. */
#pragma burstc size(N: 50, max 1024)
void prefix_sum(int N, int32_t a[N], int64_t s[N])
{
    int64_t sum = 0;
    for (int i = 0; i < N; i++) {
        sum += a[i];
        s[i] = sum;
    }
}
