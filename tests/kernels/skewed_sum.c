#include <stdint.h>

/* A schedule given by hand: blocks along diagonals, where rows and columns both carry dependences. */
#pragma burstc size(N: 19, max 64)
void skewed_sum(int N, int32_t a[N + 1][N + 2])
{
#pragma burstc schedule((i,j) -> (i, i+j)) tile(4, 8)
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            a[i][j] += a[i - 1][j + 1] - a[i][j - 1];
}
