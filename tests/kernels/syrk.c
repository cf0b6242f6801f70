#include <stdint.h>

/* Symmetric rank-K update: the lower triangle, one array read through two rows. */
#pragma burstc size(N: 20, max 64) size(K: 15, max 64)
void syrk(int N, int K, int32_t alpha, int32_t beta, int32_t a[N][K], int32_t c[N][N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j <= i; j++)
            c[i][j] *= beta;
        for (int k = 0; k < K; k++)
            for (int j = 0; j <= i; j++)
                c[i][j] += alpha * a[i][k] * a[j][k];
    }
}
