#include <stdint.h>

/* Every second element: rows of one element each. */
#pragma burstc size(N: 33, max 512)
void stride(int N, int32_t a[2 * N], int32_t b[N])
{
#pragma burstc tile(i:16)
    for (int i = 0; i < N; i++)
        b[i] = a[2 * i] > 0 ? a[2 * i + 1] : -a[2 * i + 1];
}
