#include <stdint.h>

/* LU decomposition in place: division, three loops that depend on each other; the pivots are kept from 0. */
#define PIVOT(x) (((x) & 255) + 1)
#pragma burstc size(N: 14, max 48)
void lu(int N, int32_t a[N][N])
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[k][j];
            a[i][j] /= PIVOT(a[j][j]);
        }
        for (int j = i; j < N; j++)
            for (int k = 0; k < i; k++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}
