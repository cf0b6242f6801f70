#include <stdint.h>

/* Chains along rows, which lanes write by columns, then along columns, which they write by rows; and a copy across the diagonal. */
#pragma burstc size(N: 37, max 40)
void lanes_columns(int N, int16_t a[N][N], int32_t b[N][N], int32_t c[N][N])
{
#pragma burstc tile(i:16, j:16) lanes(4)
    for (int i = 0; i < N; i++)
        for (int j = 1; j < N; j++)
            b[i][j] = 3 * b[i][j - 1] + a[i][j];
#pragma burstc tile(j:16, i:16) lanes(4)
    for (int j = 0; j < N; j++)
        for (int i = 1; i < N; i++)
            b[i][j] = 5 * b[i - 1][j] - a[i][j];
#pragma burstc tile(i:16, j:16) lanes(4)
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++)
            c[j][i] = c[i][j] + b[i][j];
}
