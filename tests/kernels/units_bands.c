// Two nests, whose units have the same rows of t; in the second one they are read only.
#include <stdint.h>
#pragma burstc size(N: 17, max 40)
void units_bands(int N, const int16_t a[N][N], const int16_t b[N][N], int32_t t[N][N], int32_t d[N][N])
{
#pragma burstc tile(i:8, j:8, k:8) units(i:2)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                t[i][j] += a[i][k] * b[k][j];
#pragma burstc tile(i:4, j:16, k:8) units(i:2)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                d[i][j] += t[i][k] * b[k][j];
}
