#include <stdint.h>

/* Two products, the second of what the first leaves, in tiles along i alone: lanes lie along i and, inside of tiles, along j. */
#pragma burstc size(N: 18, max 24)
#pragma burstc schedule(S0[i,j] -> (i); S1[i,j,k] -> (i); S2[i,j] -> (i); S3[i,j,k] -> (i)) tile(8) lanes(4, 4)
void lanes_inside(int N, const int32_t a[N][N], const int32_t b[N][N], int32_t between[N][N], int32_t c[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            between[i][j] = 0;
            for (int k = 0; k < N; k++)
                between[i][j] += a[i][k] * b[k][j];
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            c[i][j] *= 3;
            for (int k = 0; k < N; k++)
                c[i][j] += between[i][k] * b[k][j];
        }
}
