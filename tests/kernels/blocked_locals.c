#include <stdint.h>

/* A scalar inside of loops over blocks and the cells of blocks: it has as many instances as there are cells. */
#pragma burstc size(N: 10, max 64)
void blocked_locals(int N, const int32_t a[N][N], const int32_t b[N][N], int32_t c[N][N])
{
    for (int ii = 0; ii < N; ii += 8)
        for (int jj = 0; jj < N; jj += 8)
            for (int i = ii; i < ii + 8 && i < N; i++)
                for (int j = jj; j < jj + 8 && j < N; j++) {
                    int32_t sum = c[i][j];
                    for (int kk = 0; kk < N; kk += 8)
                        for (int k = kk; k < kk + 8 && k < N; k++)
                            sum += a[i][k] * b[k][j];
                    c[i][j] = sum;
                }
}
