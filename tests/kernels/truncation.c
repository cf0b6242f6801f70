#include <stdint.h>

/* Division and remainder of signed and unsigned data, by constants and by data: C rounds towards zero. */
#pragma burstc size(N: 26, max 128)
void truncation(int N, int32_t a[N], int16_t b[N], uint32_t c[N], int64_t d[N], int32_t q[N][6])
{
    for (int i = 0; i < N; i++) {
        q[i][0] = a[i] / 7 + a[i] % -10;
        q[i][1] = b[i] / 4 - b[i] % 4;
        q[i][2] = c[i] / 1000u + c[i] % 3;
        q[i][3] = a[i] / ((b[i] & 63) + 1);
        q[i][4] = a[i] % -((b[i] & 511) + 2);
        q[i][5] = (int32_t)(d[i] / 1000003 + d[i] % (c[i] + 1LL));
    }
}
