#include <stdint.h>

// Rows that data cut short in tiles that split them: from both sides, empty ones, and with several statements in a row.
#pragma burstc size(N: 20, max 64)
#pragma burstc range(from: 3..41)
#pragma burstc range(to: 0..39)
void rows_cut(int N, uint8_t from[N], int8_t to[N], int32_t ptr[N + 1], int16_t val[40], int32_t sum[N], int32_t most[N], uint16_t bins[64], float product[N], uint8_t bits[N], int64_t wide[N])
{
#pragma burstc tile(i:8, j:8)
    for (int i = 0; i < N; i++)
        for (int j = from[i]; j <= to[i]; j++) {
            sum[i] += val[j] * (j + i);
            most[i] = val[j] > most[i] ? val[j] : most[i];
        }
#pragma burstc tile(i:1, j:16)
    for (int i = 0; i < N; i++)
        for (int j = ptr[i]; j < ptr[i + 1]; j++)
            bins[(val[j] + i) & 63] += 3;
#pragma burstc tile(i:32, j:8)
    for (int i = 0; i < N; i++)
        for (int j = 5; j < to[N - 1 - i]; j++)
            product[i] = product[i] * 0.5f + val[j];
#pragma burstc tile(i:16, j:8)
    for (int i = 0; i < N; i++)
        for (int j = from[i]; j <= to[i]; j++) {
            bits[i] ^= val[j];
            wide[i] -= (int64_t)val[j] * val[j];
            if (val[j] < 0)
                most[i] = val[j] + most[i];
        }
}
