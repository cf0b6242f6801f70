// A triangle, whose rows go to the units in turn.
#include <stdint.h>
#pragma burstc size(N: 19, max 48) size(K: 7, max 20)
void units_triangle(int N, int K, const int16_t a[N][K], int32_t c[N][N])
{
#pragma burstc tile(i:8, j:8, k:8) units(i:4)
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < K; k++)
                c[i][j] += a[i][k] * a[j][k];
}
