#include <stdint.h>

// The product of a sparse matrix, compressed by rows, and a vector: where a row ends say the data. Rows may be empty.
#pragma burstc size(N: 30, max 256)
#pragma burstc size(nonzeros: 150, max 2048)
void csr(int N, int nonzeros, int32_t ptr[N + 1], int32_t col[nonzeros], int32_t val[nonzeros], int32_t x[N], int32_t y[N])
{
    for (int i = 0; i < N; i++)
        for (int j = ptr[i]; j < ptr[i + 1]; j++)
            y[i] += val[j] * x[col[j]];
}
