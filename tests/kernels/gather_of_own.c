#include <stdint.h>

/* Elements of an array that is written at what it holds itself: paths of a forest that are halved, sums of what two steps lead to. */
#pragma burstc size(n: 40, max 100)
void gather_of_own(int n, const uint8_t x[n], const int8_t y[n], uint8_t parent[256], uint8_t sums[256], uint8_t counts[256])
{
    for (int e = 0; e < n; e++) {
        parent[x[e]] = parent[parent[x[e]]];
        sums[x[e]] = sums[sums[x[e]]] + sums[x[e]] + 1;
        if (y[e] > 0)
            counts[x[e]] += counts[counts[x[e]]];
    }
}
