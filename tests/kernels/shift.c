#include <stdint.h>

/* In place: a cell is read before its left neighbour overwrites it. */
#pragma burstc size(N: 50, max 512)
void shift(int N, int32_t a[N + 1])
{
#pragma burstc tile(i:8)
    for (int i = 0; i < N; i++)
        a[i] = a[i + 1] * 3 - a[i];
}
