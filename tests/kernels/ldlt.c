#include <stdint.h>

/* Cholesky without roots, A = L D L^T: 64-bit elements, a product of three; the pivots are kept from 0. */
#define PIVOT(x) (((x) & 1023) + 1)
#pragma burstc size(N: 12, max 48)
void ldlt(int N, int64_t a[N][N], int64_t l[N][N], int64_t d[N])
{
    for (int j = 0; j < N; j++) {
        d[j] = a[j][j];
        for (int k = 0; k < j; k++)
            d[j] -= l[j][k] * l[j][k] * d[k];
        l[j][j] = 1;
        for (int i = j + 1; i < N; i++) {
            l[i][j] = a[i][j];
            for (int k = 0; k < j; k++)
                l[i][j] -= l[i][k] * l[j][k] * d[k];
            l[i][j] /= PIVOT(d[j]);
        }
    }
}
