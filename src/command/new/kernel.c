#include <stdint.h>

/*
 * A moving sum with weights: every y[i] is made of 8 neighbours in x.
 *
 * Bounds of loops and subscripts are affine: sums of iterators, sizes and constants. Everything else, such as what is
 * added up here, may be any expression of C. Without `tile` or `schedule`, burstc chooses tiles and lanes; `make analyze`
 * prints its choice as directives to paste above the loops and to change:
 *
 *     #pragma burstc tile(i:1024) lanes(4)
 */
#pragma burstc size(N: 4096, min 1, max 65536)
void NAME(int N, const int32_t x[N + 7], const int32_t w[8], int32_t y[N])
{
    for (int i = 0; i < N; i++) {
        int32_t sum = 0;
        for (int k = 0; k < 8; k++)
            sum += w[k] * x[i + k];
        y[i] = sum;
    }
}
