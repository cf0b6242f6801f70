// Rows of a sparse matrix whose places count from 1, or begin with their length.
#include <stdint.h>

#pragma burstc size(n: 9, max 40)
#pragma burstc size(m: 50, max 400)
void row_starts(int n, int m, const uint8_t ptr[n + 1], const int val[m], int y[n], int z[n])
{
    for (int i = 0; i < n; i++) {
        for (int j = ptr[i]; j < ptr[i + 1]; j++)
            y[i] += val[j - 1];
        for (int j = ptr[i] + 1; j <= ptr[i + 1]; j++)
            z[i] ^= val[j + 2] - val[j - 1];
    }
}
