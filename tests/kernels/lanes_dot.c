#include <stdint.h>

/* One cell for all lanes: a tree of sums. */
#pragma burstc size(N: 64, max 300)
void lanes_dot(int N, int32_t a[N], int32_t b[N], int32_t s[1])
{
#pragma burstc tile(i:32) lanes(8)
    for (int i = 0; i < N; i++)
        s[0] += a[i] * b[i];
}
