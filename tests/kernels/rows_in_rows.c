#include <stdint.h>

// Loops whose bounds are data inside of such loops: the lists of a list, and a product of two sparse matrices' rows.
#pragma burstc size(N: 9, max 20)
#pragma burstc size(items: 50, max 128)
#pragma burstc range(first: 0..20)
#pragma burstc range(width: 0..6)
void rows_in_rows(int N, int items, int32_t first[N + 1], int32_t begin[21], int32_t item[items], uint8_t width[20], int32_t sum[N], int32_t grid[20][6])
{
    for (int i = 0; i < N; i++)
        for (int j = first[i]; j < first[i + 1]; j++)
            for (int k = begin[j]; k < begin[j + 1]; k++)
                sum[i] += item[k];
    for (int i = 0; i < N; i++)
        for (int j = first[i]; j < first[i + 1]; j++)
            for (int k = 0; k < width[j]; k++)
                grid[j][k] += i;
    // Where rows begin is data, where they end is not.
    for (int i = 0; i < N; i++)
        for (int k = width[i]; k < items; k++)
            sum[i] ^= k;
}
