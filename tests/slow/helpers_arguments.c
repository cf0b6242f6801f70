/* Helpers whose argument is named twice, 16 deep. */
#include <stdint.h>

static int32_t f0(int32_t x) { return x * 3; }
static int32_t f1(int32_t x) { return f0(x ^ (x >> 1)); }
static int32_t f2(int32_t x) { return f1(x ^ (x >> 2)); }
static int32_t f3(int32_t x) { return f2(x ^ (x >> 3)); }
static int32_t f4(int32_t x) { return f3(x ^ (x >> 4)); }
static int32_t f5(int32_t x) { return f4(x ^ (x >> 5)); }
static int32_t f6(int32_t x) { return f5(x ^ (x >> 6)); }
static int32_t f7(int32_t x) { return f6(x ^ (x >> 7)); }
static int32_t f8(int32_t x) { return f7(x ^ (x >> 8)); }
static int32_t f9(int32_t x) { return f8(x ^ (x >> 9)); }
static int32_t f10(int32_t x) { return f9(x ^ (x >> 10)); }
static int32_t f11(int32_t x) { return f10(x ^ (x >> 11)); }
static int32_t f12(int32_t x) { return f11(x ^ (x >> 12)); }
static int32_t f13(int32_t x) { return f12(x ^ (x >> 13)); }
static int32_t f14(int32_t x) { return f13(x ^ (x >> 14)); }
static int32_t f15(int32_t x) { return f14(x ^ (x >> 15)); }
static int32_t f16(int32_t x) { return f15(x ^ (x >> 16)); }

#pragma burstc size(N: 64, max 4096)
void helpers_arguments(int N, const int32_t a[N], int32_t out[N])
{
    for (int i = 0; i < N; i++)
        out[i] = f16(a[i]);
}
