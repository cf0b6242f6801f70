#include <math.h>
#include <stdint.h>

/* Coefficients that the host computes: variables, calls of <math.h>, parts of expressions, conversions of sizes. */
#pragma burstc size(N: 20, max 64) size(M: 5, max 64)
void host_scalars(int N, int M, double alpha, float beta, uint8_t gain, float a[N], double b[N], int64_t c[N])
{
    double decay, first, second;
    float scale = expf(-beta) * 2;
    int64_t step;
    first = second = exp(-fabs(alpha)) / (1.0 + N / 3);
    first *= pow(2.0, alpha) - 0.1;
    decay = alpha > 0.5f ? alpha : -alpha + M;
    step = (gain * 3 - (int64_t)1234567890123) ^ ~M;
    step -= gain << 3;
    for (int i = 0; i < N; i++) {
        a[i] = (a[i] * scale + beta * 0.1f) * (float)gain + i;
        c[i] = step = step + c[i] / (gain % 7 + 1);
        b[i] = b[i] * first + alpha * 3 / (N + 1) + log(alpha * alpha + 1e-300) * second - sqrt(b[i] * b[i] * decay);
    }
}
