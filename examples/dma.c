#include <stdint.h>

/* Copies one vector: the memory's two directions and nothing else. */
#pragma burstc size(N: 65536, max 1048576)
void dma(int N, int32_t a[N], int32_t b[N])
{
#pragma burstc tile(i:1024)
    for (int i = 0; i < N; i++)
        b[i] = a[i];
}
