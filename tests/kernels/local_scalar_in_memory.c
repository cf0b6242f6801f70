/* Found by random programs: a local scalar that a later strip loads again, beside arrays of one and two subscripts. */
#include <stdint.h>

#pragma burstc size(N: 1, max 9)
void local_scalar_in_memory(int N, int32_t a[1], int32_t c[1][1])
{
    c[0][0] = 1;
    int first = a[0];
    for (int i = 0; i <= N; i++)
        for (int k = 0; k <= 1; k++)
            a[0] = first;
}
