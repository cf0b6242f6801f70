#include <stdint.h>

// Bounds in arrays of their own, in any order and past each other; a length by its type; rows that end at what is smaller.
#pragma burstc size(N: 20, max 64)
#pragma burstc range(length: 0..16)
#pragma burstc range(from: 0..40)
#pragma burstc range(to: 0..39)
void row_lengths(int N, uint8_t length[N], int16_t from[N], int16_t to[N], int32_t a[N][16], int32_t b[40], int32_t sum[N], int32_t counts[64], int32_t last[N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < length[i]; j++)
            sum[i] += a[i][j];
        for (int k = from[i]; k <= to[i] && k < N; k++) {
            if (b[k] > 0)
                counts[b[k] & 63] += k;
            last[i] = k;
        }
    }
}
