#include <stdint.h>

/* Folding of RNA: the outer loop descends, affine conditions choose among four statements, max by macro. */
#define MAX(a, b) ((a) >= (b) ? (a) : (b))
#pragma burstc size(N: 14, max 48)
void nussinov(int N, int8_t base[N], int32_t table[N][N])
{
    for (int i = N - 1; i >= 0; i--)
        for (int j = i + 1; j < N; j++) {
            table[i][j] = MAX(table[i][j], table[i][j - 1]);
            if (i + 1 < N)
                table[i][j] = MAX(table[i][j], table[i + 1][j]);
            if (i < j - 1)
                table[i][j] = MAX(table[i][j], table[i + 1][j - 1] + (base[i] + base[j] == 3 ? 1 : 0));
            else
                table[i][j] = MAX(table[i][j], table[i + 1][j - 1]);
            for (int k = i + 1; k < j; k++)
                table[i][j] = MAX(table[i][j], table[i][k] + table[k + 1][j]);
        }
}
