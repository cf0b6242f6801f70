#include <stdint.h>

/* Tiles from -1 to 0, each walked from its end. */
#pragma burstc size(N: 40, max 64)
void backwards(int N, int32_t a[N])
{
#pragma burstc schedule((i) -> (-i)) tile(64)
    for (int i = 0; i < N; i++)
        a[i] += i;
}
