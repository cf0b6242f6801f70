#include <stdint.h>

/* Bytes: rows that begin and end inside memory words, a scalar register, C's promotions. */
#pragma burstc size(N: 100, max 2048)
void bytes(int N, uint8_t a[N], int8_t b[N], uint8_t c[N], int alpha)
{
#pragma burstc tile(i:37)
    for (int i = 0; i < N; i++)
        c[i] = (a[i] * alpha + b[i]) >> 3;
}
