#include <stdint.h>

/* Division and remainder by constants in subscripts, bounds and conditions. */
#pragma burstc size(N: 22, max 128)
void quotients(int N, int32_t a[N], int32_t half[N], int32_t third[3][N])
{
    for (int i = 0; i < N; i++)
        half[i / 2] += a[i];
    for (int i = 0; i < N; i++)
        third[i % 3][i / 3] = a[i];
    for (int i = 0; i < (N + 1) / 2; i++)
        if (i % 4 != 1)
            a[2 * i] = third[(i + 1) % 3][i / 3] - half[i];
}
