/* Loops that count and end at bits or remainders of what counts. */
#include <stdint.h>
#define N 40
#pragma burstc size(n: 40, min 0, max 100)
void break_conditions(int n, int32_t a[N], int32_t b[n])
{
    for (int j = 2; j < N; j++) {
        if (((uint32_t)j & 32) != 0)
            break;
        a[j] ^= j;
    }
    for (int j = 1; j < n; j++) {
        if (j & 16)
            break;
        b[j] -= j;
    }
    for (int j = 0; j < n && j / 7 != 4; j++)
        b[j] ^= 9;
    for (int j = 0; j < n; j++) {
        b[j] += 3;
        if (j % 5 == 4 && j > 11)
            break;
        b[j] *= 2;
    }
    for (int j = 3; j < N; j++) {
        if (j % 7 == 2)
            break;
        a[j - 3] += j;
    }
}
