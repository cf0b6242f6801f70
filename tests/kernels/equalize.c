#include <stdint.h>

/* Histogram equalization: counts and their sums are local arrays, updated and read at the values of the image. */
#pragma burstc size(N: 100, max 1000)
void equalize(int N, const uint8_t in[N], uint8_t out[N])
{
    int32_t count[256], sums[256];
    for (int i = 0; i < 256; i++)
        count[i] = 0;
    for (int i = 0; i < N; i++)
        count[in[i]]++;
    int32_t sum = 0;
    for (int i = 0; i < 256; i++) {
        sum += count[i];
        sums[i] = sum;
    }
    for (int i = 0; i < N; i++)
        out[i] = (sums[in[i]] * 255) >> 10;
}
