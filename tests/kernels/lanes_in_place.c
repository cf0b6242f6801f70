#include <stdint.h>

/* A factorisation in place: blocks of both triangles in lanes along two loops, columns that are scaled in lanes along one. Boxes across
 * the diagonal hold cells that their lanes do not write, and others read. */
#pragma burstc size(N: 21, max 24)
void lanes_in_place(int N, int32_t a[N][N])
{
#pragma burstc schedule(S0[i,j,k] -> (i, k, j); S1[i,j] -> (i, j, j); S2[i,j,k] -> (i, k, j)) tile(32, 32, 16) lanes(4, 1, 4)
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[k][j];
            a[i][j] *= a[j][j];
        }
        for (int j = i; j < N; j++)
            for (int k = 0; k < i; k++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}
