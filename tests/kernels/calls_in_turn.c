// Functions that change something and give a value, where C comes to them: each is done when it is its turn.
#include <stdint.h>
static int bump(int *s, int v)
{
    if (v > 3) (*s)++;
    return v * 2;
}
static unsigned next(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16 & 0x7fff;
}
static void nothing(int v)
{
    (void)v;
}
int calls_in_turn(int N, const int8_t x[N], int32_t y[N], int32_t z[N])
{
    int s = 0, t = 1;
    unsigned seed = 7;
    for (int i = 0; i < N; i++) {
        nothing(i);
        y[i] = x[i] > 5 ? bump(&s, x[i]) : bump(&s, -x[i]);
        int ok = bump(&s, x[i]) > 8 && bump(&s, y[i]) > 6;
        bump(&t, x[i]);
        (void)bump(&t, i);
        i + 1;
        if (next(&seed) & 1 || next(&seed) & 2)
            z[i] = ok + s;
        else
            z[i] = (int)next(&seed) - t;
    }
    return s;
}
