#include <stdint.h>

/* Loops that count down, by 1 and by 2: a recurrence from the end, and a triangle. */
#pragma burstc size(N: 25, max 128)
void descending(int N, int32_t a[N + 1], int32_t b[N][N])
{
    for (int i = N - 1; i >= 0; i--)
        a[i] = a[i] * 3 + a[i + 1];
    for (int i = N - 1; i > 0; i -= 2)
        for (int j = i; j >= 0; --j)
            b[i][j] = b[i - 1][j] - a[j];
}
