#include <stdint.h>

/* Matrix product with two factors: an imperfect nest, three sizes. */
#pragma burstc size(N: 24, max 64) size(M: 20, max 64) size(K: 17, max 64)
void gemm(int N, int M, int K, int32_t alpha, int32_t beta, int32_t a[N][K], int32_t b[K][M], int32_t c[N][M])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            c[i][j] *= beta;
            for (int k = 0; k < K; k++)
                c[i][j] += alpha * a[i][k] * b[k][j];
        }
}
