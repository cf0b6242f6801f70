#include <stdint.h>

/* Rows of single bytes, with more elements than any burst has words. */
#pragma burstc size(N: 13, max 13)
void byte_rows(int N, int8_t a[N + 2])
{
    for (int i = 0; i < N; i++)
        a[i] = a[i + 1] ^ a[i + 2];
}
