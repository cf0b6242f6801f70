// No loop at all.
#include <stdint.h>
static int32_t square(int32_t v)
{
    return v * v;
}
void once(int N, const int32_t x[4], int32_t y[N + 2], float z[2])
{
    y[0] = x[0] + square(x[1]);
    if (y[0] > x[2]) y[1] = x[3];
    y[N + 1] += y[0];
    z[1] = z[0] * 0.5f;
}
