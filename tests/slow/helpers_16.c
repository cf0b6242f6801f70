/* Helpers that call each other twice, 16 deep: 65536 calls when all are put in place. */
#include <stdint.h>

static int32_t f0(int32_t x) { return x * 3; }
static int32_t f1(int32_t x) { return f0(x) + f0(x + 1); }
static int32_t f2(int32_t x) { return f1(x) + f1(x + 2); }
static int32_t f3(int32_t x) { return f2(x) + f2(x + 3); }
static int32_t f4(int32_t x) { return f3(x) + f3(x + 4); }
static int32_t f5(int32_t x) { return f4(x) + f4(x + 5); }
static int32_t f6(int32_t x) { return f5(x) + f5(x + 6); }
static int32_t f7(int32_t x) { return f6(x) + f6(x + 7); }
static int32_t f8(int32_t x) { return f7(x) + f7(x + 8); }
static int32_t f9(int32_t x) { return f8(x) + f8(x + 9); }
static int32_t f10(int32_t x) { return f9(x) + f9(x + 10); }
static int32_t f11(int32_t x) { return f10(x) + f10(x + 11); }
static int32_t f12(int32_t x) { return f11(x) + f11(x + 12); }
static int32_t f13(int32_t x) { return f12(x) + f12(x + 13); }
static int32_t f14(int32_t x) { return f13(x) + f13(x + 14); }
static int32_t f15(int32_t x) { return f14(x) + f14(x + 15); }
static int32_t f16(int32_t x) { return f15(x) + f15(x + 16); }

#pragma burstc size(N: 64, max 4096)
void helpers_16(int N, const int32_t a[N], int32_t out[N])
{
    for (int i = 0; i < N; i++)
        out[i] = f16(a[i]);
}
