#include <stdint.h>

/* Three reads of one array per iteration: three copies of its buffer. */
#pragma burstc size(N: 100, max 4096)
void stencil(int N, int32_t a[N], int32_t b[N])
{
#pragma burstc tile(i:64)
    for (int i = 1; i < N - 1; i++)
        b[i] = a[i - 1] + 2 * a[i] + a[i + 1];
}
