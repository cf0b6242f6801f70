/* Bounds of narrow and unsigned types bring constants of 2^32 into the example of a reversed dependence. */
#include <stdint.h>
#pragma burstc size(N: 7, max 7)
#pragma burstc size(M: 2, max 2)
void reversed_narrow(int N, uint32_t M, double a[3*M + N + 3][2*M + 2*N + 6])
{
#pragma burstc tile(i:8, j:4, k:4)
    for (uint64_t i = 0; i < M - 1; i++)
        for (uint8_t j = 0; j < M - 1; j++)
            for (int16_t k = i - 1; k <= N - 1; k += 3)
                a[M + k + 3][3] -= a[M + k + 2][k + 1] - a[M + k + 1][j + 4]
                    ? a[M + i - j + 3][j + k + 3] + a[2*M - i - 1][2*k + 7] : a[M + 2*j + 1][2*i + 1];
}
