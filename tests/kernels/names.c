#include <stdint.h>

/* Names that differ in case only, and names that the hardware has for itself. */
#pragma burstc size(N: 5, max 8) size(n: 6, max 8)
void names(int N, int n, int Fifo, int32_t a[N + 2], int32_t A[N + 2], int32_t a_0[N][n], int32_t first[n])
{
    for (int row = 0; row < N; row++)
        for (int ROW = 0; ROW < n; ROW++)
            a_0[row][ROW] += a[row] * A[row + 1] + a[row + 2] - first[ROW];
    for (int i = 0; i < N; i++)
        for (int I = i; I < n; I++)
            for (int valid = 0; valid < 2; valid++)
                first[I] ^= a_0[i][I] + Fifo * valid;
    for (int ready = 0; ready < N; ready++)
        for (int follows = ready; follows < n; follows++)
            A[ready] += a_0[ready][follows];
}
