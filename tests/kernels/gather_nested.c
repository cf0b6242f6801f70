#include <stdint.h>

/* Subscripts that are computed, and read at subscripts that are; an array that is read both ways; two statements. */
void gather_nested(const int16_t p[20][30], const uint8_t a[20][30], const int16_t t[16], const int16_t u[40],
                   int16_t y[20][30], int64_t z[30])
{
    for (int i = 1; i < 20; i++)
        for (int j = 0; j < 29; j++)
            y[i][j] = t[u[(a[i][j] + a[i - 1][j]) % 40u] & 15] + (p[i][j] > 0 ? u[a[i][j + 1] >> 3] : t[i % 16]);
    for (int j = 0; j < 30; j++)
        z[j] = (int64_t)y[3][j] * u[(y[2][j] & 31) + 8] / (t[j & 15] | 1);
}
