#include <stdint.h>

/* Values that the very next iteration needs: a sum of products, the largest sum of neighbours, a filter's two last outputs. */
#pragma burstc size(N: 30, max 1024)
void running_values(int N, int32_t a[N], int16_t b[N], int32_t sums[N], int32_t best[1], float x[N], float out[N])
{
    int32_t sum = 0, here = 0, most = 0;
    for (int i = 0; i < N; i++) {
        sum += a[i] * b[i];
        sums[i] = sum;
    }
    for (int i = 0; i < N; i++) {
        here = here > 0 ? here + b[i] : b[i];
        most = most > here ? most : here;
    }
    best[0] = most;
    float before = 0.0f, last = 0.0f;
    for (int i = 0; i < N; i++) {
        out[i] = 0.5f * x[i] + 0.25f * last - 0.125f * before;
        before = last;
        last = out[i];
    }
}
