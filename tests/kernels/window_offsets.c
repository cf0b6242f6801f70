#include <stdint.h>

// Windows whose ends are data, on either side of an element: they may be empty, and reach over the ends of the array.
#pragma burstc size(N: 20, max 64)
#pragma burstc range(from: -3..2)
#pragma burstc range(to: -4..4)
void window_offsets(int N, int8_t from[N], int8_t to[N], int32_t a[N], int32_t sum[N], int32_t hits[N][8])
{
    for (int i = 0; i < N; i++)
        for (int k = from[i]; k <= to[i]; k++) {
            if (i + k >= 0 && i + k < N)
                sum[i] += a[i + k];
            hits[i][k + 3] += k;
        }
}
