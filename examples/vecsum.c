#include <stdint.h>

/* Sums two vectors. */
#pragma burstc size(N: 65536, max 1048576)
void vecsum(int N, int32_t a[N], int32_t b[N], int32_t c[N])
{
#pragma burstc tile(i:1024)
    for (int i = 0; i < N; i++)
        c[i] = a[i] + b[i];
}
