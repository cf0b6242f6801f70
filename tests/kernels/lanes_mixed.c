#include <stdint.h>

/* Lanes along one loop in two bands, along two in the third, where each statement has those that it can use: half of a product, its
 * diagonal, and the copy across it. */
#pragma burstc size(N: 21, max 24) size(M: 13, max 16)
void lanes_mixed(int N, int M, int32_t data[M][N], int32_t sums[N], int32_t c[N][N])
{
#pragma burstc schedule(S0[j] -> (0, j); S1[j,i] -> (0, j)) tile(1, 16) lanes(8)
#pragma burstc schedule(S2[i,j] -> (1, i, j)) tile(1, 8, 16) lanes(4)
#pragma burstc schedule(S3[i] -> (2, i, 0); S4[i,j] -> (2, i, j); S5[i,j,k] -> (2, i, j); S6[i,j] -> (2, i, j)) tile(1, 16, 16) lanes(1, 4, 4)
    for (int j = 0; j < N; j++) {
        sums[j] = j;
        for (int i = 0; i < M; i++)
            sums[j] += data[i][j];
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            data[i][j] -= sums[j];
    for (int i = 0; i < N; i++) {
        c[i][i] = 1;
        for (int j = i + 1; j < N; j++) {
            c[i][j] = 0;
            for (int k = 0; k < M; k++)
                c[i][j] += data[k][i] * data[k][j];
            c[j][i] = c[i][j];
        }
    }
}
