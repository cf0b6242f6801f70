#include <stdint.h>

/* Triangular matrix product in place: the innermost loop starts at i + 1, a statement follows it. */
#pragma burstc size(N: 18, max 64) size(M: 14, max 64)
void trmm(int N, int M, int32_t alpha, int32_t a[N][N], int32_t b[N][M])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            for (int k = i + 1; k < N; k++)
                b[i][j] += a[k][i] * b[k][j];
            b[i][j] = alpha * b[i][j];
        }
}
