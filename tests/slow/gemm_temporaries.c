/* gemm in SSA form, as HLS flows print it: temporaries of every width, 12 of them. */
#include <stdint.h>

#pragma burstc size(N: 16, max 256)
void gemm_temporaries(int N, int16_t alpha, const int16_t A[N][N], const int16_t B[N][N], int32_t C[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) {
                int16_t v0 = A[i][k];
                int16_t v1 = B[k][j];
                int32_t v2 = v0;
                int32_t v3 = v1;
                int32_t v4 = v2 * v3;
                int32_t v5 = alpha;
                int32_t v6 = v5 * v4;
                int32_t v7 = C[i][j];
                int32_t v8 = v7 + v6;
                int64_t v9 = v8;
                int64_t v10 = v9 & 0x7fffffff;
                int32_t v11 = (int32_t)v10;
                C[i][j] = v11;
            }
}
