#include <stdint.h>

/* Orders inside tiles as directives give them: along a wave, with all of one statement before the other, and with another loop innermost. */
#pragma burstc size(N: 14, max 40) uses(apart)
void orders(int N, int32_t a[N][N], int32_t b[N][N], int32_t c[N][N], int32_t s[N])
{
#pragma burstc tile(i:8, j:4) order(2*i + j, i)
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++)
            b[i][j] += 3 * b[i - 1][j] - b[i][j - 1];
#pragma burstc tile(i:4, j:8) order(S1[i] -> (0, i); S2[i,j] -> (1, j, i))
    for (int i = 0; i < N; i++) {
        s[i] = i;
        for (int j = 0; j < N; j++)
            s[i] += b[i][j];
    }
#pragma burstc tile(i:4, j:4, k:8) order(j, k, i)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i][j] += a[i][k] * a[j][k];
}
