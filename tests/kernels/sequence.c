#include <stdint.h>

/* Nests in sequence: the second reads what the first wrote, backwards; the third is independent of both. */
#pragma burstc size(N: 40, max 256)
void sequence(int N, int32_t a[N], int32_t b[N], int32_t c[N], int16_t d[N][2])
{
    for (int i = 0; i < N; i++)
        b[i] = 3 * a[i] + 1;
    for (int j = 0; j < N; j++)
        c[j] = b[N - 1 - j] - b[j];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 2; k++)
            d[i][k] = d[i][k] * 2 + k;
}
