#include <stdint.h>

/* Symmetric matrix product: a local accumulator between two statements of a loop that writes rows above. */
#pragma burstc size(N: 14, max 48) size(M: 11, max 48)
void symm(int N, int M, int32_t alpha, int32_t beta, int32_t a[N][N], int32_t b[N][M], int32_t c[N][M])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            int32_t sum = 0;
            for (int k = 0; k < i; k++) {
                c[k][j] += alpha * b[i][j] * a[i][k];
                sum += b[k][j] * a[i][k];
            }
            c[i][j] = beta * c[i][j] + alpha * b[i][j] * a[i][i] + alpha * sum;
        }
}
