#include <math.h>
#include <stdint.h>

/* C's conversions between all integers, float and double. */
#pragma burstc size(N: 16, max 64)
void float_conversions(int N, int8_t b[N], uint16_t h[N], int32_t w[N], uint64_t l[N], float f[N], double d[N],
                       float to_float[N][5], double to_double[N][5], int64_t to_long[N], int8_t to_byte[N],
                       uint32_t to_word[N], _Bool to_bool[N])
{
    for (int i = 0; i < N; i++) {
        to_float[i][0] = b[i];
        to_float[i][1] = h[i] + f[i];
        to_float[i][2] = w[i];
        to_float[i][3] = l[i];
        to_float[i][4] = i / 3.0f + (float)(N - i);
        to_double[i][0] = b[i] * 0.5;
        to_double[i][1] = h[i];
        to_double[i][2] = w[i] / 7.0;
        to_double[i][3] = l[i] + f[i];
        to_double[i][4] = (int64_t)l[i];
        to_long[i] = d[i] * 1e9;
        to_byte[i] = (int8_t)f[i] + w[i];
        to_word[i] = fabs(d[i]) * 1e5f + 0.5;
        to_bool[i] = f[i] - f[i] * (i & 1);
    }
}
