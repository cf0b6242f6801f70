#include <stdint.h>

/* Iterations with gaps, in which every one needs what the one before it has left: the pieces between the gaps keep the
   order of the source, those of a modulus take turns. */
#pragma burstc size(N: 20, max 64)
void gaps(int N, int32_t a[N], int32_t s[4], int32_t x[N])
{
    for (int i = 0; i < N; i++)
        if (i != 5)
            s[0] = s[0] * 3 + a[i];
    for (int i = 0; i < N; i++)
        if (i % 4 != 1)
            s[1] = s[1] * 3 + a[i];
    for (int i = 0; i < N; i++)
        if ((N + 100 - 3 * i) % 8 != 3)
            s[2] = s[2] * 3 + a[i];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if ((i + 2 * j) % 3 != 1 || j < i - 4)
                x[i] = x[i] * 5 + a[j];
}
