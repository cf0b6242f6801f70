#include <stdint.h>

/* Banks of rows that are shorter than the bits of an address allow. */
#pragma burstc size(N: 66, max 75)
void lanes_of_wide_rows(int N, int32_t a[N][75], int32_t b[75][75])
{
#pragma burstc tile(i:128, j:128) lanes(2)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = 3 * b[i][j] - b[j][i];
}
