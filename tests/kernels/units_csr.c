// Rows as long as data say, each of them one unit's; what bounds and gathers them is in the buffers of both.
#include <stdint.h>
#pragma burstc size(N: 30, max 128)
#pragma burstc size(nonzeros: 150, max 1024)
void units_csr(int N, int nonzeros, int32_t ptr[N + 1], uint16_t col[nonzeros], int32_t val[nonzeros], int32_t x[N], int32_t y[N])
{
#pragma burstc tile(i:32, j:64) units(i:2)
    for (int i = 0; i < N; i++)
        for (int j = ptr[i]; j < ptr[i + 1]; j++)
            y[i] += val[j] * x[col[j]];
}
