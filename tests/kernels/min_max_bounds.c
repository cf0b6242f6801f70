#include <stdint.h>

/* Minima and maxima in bounds, by macros and by ternaries: a band around the diagonal, then one of blocks of 5, then
   downwards from a minimum; a `return` at the end. */
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) (((a) > (b)) ? (a) : (b))
#pragma burstc size(N: 17, max 64) size(B: 3, max 16)
void min_max_bounds(int N, int B, int32_t a[N][N], int32_t s[N])
{
    for (int i = 0; i < N; i++)
        for (int j = MAX(0, i - B); j < MIN(N, i + B + 1); j++)
            s[i] += a[i][j];
    for (int i = 0; i < N; i += 5)
        for (int k = i; k <= (i + 4 < N - 1 ? i + 4 : N - 1); k++)
            for (int j = i > 3 ? i - 3 : 0; j < k; j++)
                a[k][j] -= s[j];
    for (int i = 1; i < N; i++)
        for (int j = MIN(i, N - B); j >= 0; j--)
            s[i] += s[j] >> 1;
    return;
}
