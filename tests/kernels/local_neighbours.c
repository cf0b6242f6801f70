#include <stdint.h>

/* A local array of which an iteration reads a cell of its own and a neighbour's: one array for all iterations. */
#pragma burstc size(N: 21, max 64)
void local_neighbours(int N, int32_t a[N], int32_t b[N])
{
    int32_t t[64];
    for (int i = 0; i < N; i++) {
        t[i] = 3 * a[i];
        b[i] = t[i] + (i > 0 ? t[i - 1] : 0);
    }
}
