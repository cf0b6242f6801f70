// Helpers that keep values between calls, and change them on the way to what they return.
#include <stdint.h>
static unsigned draw(void)
{
    static unsigned seed = 1;
    seed = seed * 69069u + 1;
    return seed >> 20;
}
static int smoothed(int v)
{
    static int last[4], k;
    k = (k + 1) & 3;
    last[k] = v;
    return (last[0] + last[1] + last[2] + last[3]) >> 2;
}
static int dithered(int v)
{
    return smoothed(v) + (draw() & 7);
}
static int odd(int v)
{
    return v & 1 ? v : -v;
}
void remembered(int N, const int16_t x[N], int32_t y[N], int32_t z[N])
{
    for (int i = 0; i < N; i++) {
        y[i] = 3 * dithered(x[i]);
        if (x[i] & 1 ? draw() & 1 : smoothed(i) > 3)
            z[i] = odd(dithered(x[i]));
        else
            z[i] = (draw(), (int)draw());
        int k = 0;
        do {
            k++;
            if (y[i] & 1) continue;
            z[i] += k;
        } while (k < 3 && (draw() & 3));
    }
}
