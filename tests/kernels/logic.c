#include <stdint.h>

/* Comparisons of signed and unsigned, && || ! and nested ternaries on data. */
#pragma burstc size(N: 27, max 256)
void logic(int N, int32_t a[N], uint32_t b[N], int8_t c[N], int32_t d[N])
{
    for (int i = 0; i < N; i++) {
        c[i] = (a[i] < b[i]) + 2 * (a[i] >= c[i]) + 4 * (b[i] == 0 || c[i] != -1) + 8 * !a[i];
        d[i] = a[i] > 0 && c[i] < 5 ? (b[i] > 77u ? a[i] : -c[i]) : a[i] <= -100 ? (int32_t)b[i] : i == 3 ? 9 : ~a[i];
    }
}
