#include <stdint.h>

/* Nothing to load: iterators and a size as data. */
#pragma burstc size(N: 33, max 512)
void fill(int N, uint64_t a[N][3], uint32_t seed)
{
#pragma burstc tile(i:16, j:3)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = seed * (uint64_t)(3 * i + j) + N;
}
