#include <stdint.h>

/* A divider in every lane. */
#pragma burstc size(N: 20, max 100)
void lanes_quotients(int N, int16_t a[N], int16_t b[N], int16_t c[N])
{
#pragma burstc tile(i:16) lanes(4)
    for (int i = 0; i < N; i++)
        c[i] = a[i] / b[i];
}
