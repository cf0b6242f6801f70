#include <stdint.h>

/* Loops that never run, values that nobody uses, an array and a size that nothing live needs. */
#pragma burstc size(N: 11, max 16) size(M: 5, max 8)
void dead_code(int N, int M, int32_t a[N], int32_t b[N], int32_t c[M])
{
    int32_t unused[16], passed[16], sum = 0;
    for (int i = N; i < N; i++)
        c[i] = a[i];
    for (int i = 0; i < N; i++) {
        int32_t twice = 2 * a[i];
        unused[i] = twice;
        passed[i] = a[i] + 1;
        if (i < 0)
            c[i] = 7;
        sum += passed[i];
        b[i] += passed[i];
    }
    for (int i = 0; i < N; i++)
        sum += b[i];
}
