#include <stdint.h>

/* Words of isl's notation, and names that burstc gives by itself to tiles, statements and cells. */
#pragma burstc size(max: 5, max 8) size(T0: 6, max 8)
void floor(int max, int T0, int exists, int32_t S0[max + 2], int32_t mod[max + 2], int32_t T[max][T0], int32_t x0[T0])
{
    for (int T1 = 0; T1 < max; T1++)
        for (int t1 = T0 - 1; t1 >= 0; t1--)
            T[T1][t1] += S0[T1] * mod[T1 + 1] + S0[T1 + 2] - x0[t1];
    for (int min = 0; min < max; min++)
        for (int not = min; not < T0; not++)
            for (int t2 = 0; t2 < 2; t2++)
                x0[not] ^= T[min][not] + exists * t2 + not / 3;
    for (int True = 0; True < max; True++)
        for (int d0 = True; d0 < T0; d0++)
            mod[True] += T[True][d0];
}
