#include <stdint.h>

/* Locals in subscripts that turn out to be arguments and iterators: they are compared with the array, too. */
void gather_scalar(int s, const int16_t t[16], const int32_t x[40], int32_t y[40])
{
    for (int i = 0; i < 40; i++) {
        int l = s;
        int k = i * s;
        y[i] = t[l & 15] + t[k & 15] + t[x[i] & 15];
    }
}
