#include <stdint.h>

/* Constants on chip: of every type, with gaps, designated, of two dimensions, in the function and in a helper; read where
   the subscript is affine, a datum or both, under a condition, and by several statements. */
static const int8_t taps[7] = {-3, 5, [4] = 11, -13, [2] = 7};
static const uint16_t squares[] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, [12 ... 15] = 225, [19] = 361};
static const double weights[3][4] = {{0.5, -1.25}, [2] = {1e-3, 2, [3] = -0.0}};
static const int64_t wide[2][3] = {1, -2, 3, 0x7fffffffffff, -5};
const float scale[2] = {0.1f, 3};

static int32_t sign_of(int32_t x)
{
    const int32_t signs[2] = {1, -1};
    return signs[x < 0];
}

#pragma burstc size(N: 40, max 400)
void tables(int N, const uint8_t a[N], int32_t b[N], int64_t c[N], double d[N], float e[N])
{
    static const uint8_t next[16] = {3, 14, 1, 5, 9, 2, 6, 15, 8, 7, 0, 4, 10, 13, 11, 12};
    for (int i = 0; i < N; i++) {
        b[i] = 0;
        for (int k = 0; k < 7; k++)
            if (i >= k)
                b[i] += taps[k] * a[i - k];
    }
    for (int i = 0; i < N; i++) {
        b[i] += squares[a[i] % 20] * sign_of(b[i]);
        c[i] = wide[i % 2][i % 3] + next[next[a[i] & 15]] + (i < 20 ? squares[i] : -1);
        d[i] = weights[i % 3][a[i] >> 6] + weights[2][3];
        e[i] = scale[i % 2] * a[i];
    }
}
