#include <stdint.h>

/* Heads of loops that change more than the variables that they begin: what they do beside that comes behind the body, in every
   iteration that ends. */
#pragma burstc size(N: 7, max 40)
void head_steps(int N, int32_t a[N], int32_t w[3 * N], int32_t out[N], int32_t sums[4])
{
    int i = 0, s = 3, k = 0;
    for (int y = 0; y < N; y++)
        for (int x = 0; x < 3; x++, i++)
            out[y] += w[i] * a[y];
    for (int y = 0; y < N; y++, s += 2)
        out[y] += s;
    for (int y = 0; y < N; y++, sums[0]++)
        sums[1] += a[y];
    for (int y = 0; y < N; sums[2] = a[y], y++) {
        if (a[y] > 0)
            continue;
        out[y]--;
    }
    for (int x = 0; x < N; x++, k++)
        ;
    for (int x = N; x-- > 0; k += 2)
        ;
    sums[3] = k;
}
