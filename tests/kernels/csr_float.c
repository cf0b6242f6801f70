#include <stdint.h>

// In floating point, with bounds and sums in variables: sums have the C program's order.
#pragma burstc size(N: 30, max 256)
#pragma burstc size(nonzeros: 150, max 2048)
void csr_float(int N, int nonzeros, int32_t ptr[N + 1], uint16_t col[nonzeros], float val[nonzeros], float x[N], float y[N])
{
    int i, j;
    for (i = 0; i < N; i++) {
        float sum = 0;
        int end = ptr[i + 1];
        for (j = ptr[i]; j < end; j++) {
            float product = val[j] * x[col[j]];
            sum = sum + product;
        }
        y[i] = sum;
    }
}
