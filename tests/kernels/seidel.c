#include <stdint.h>

/* In place in two dimensions, five reads of one array, 16-bit elements. */
#pragma burstc size(N: 20, max 64) size(T: 5, max 16)
void seidel(int T, int N, int16_t a[N + 2][N + 2])
{
#pragma burstc schedule((t,i,j) -> (t, t+i, 2*t+i+j)) tile(2, 6, 8)
    for (int t = 0; t < T; t++)
        for (int i = 1; i <= N; i++)
            for (int j = 1; j <= N; j++)
                a[i][j] = (a[i - 1][j] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j]) >> 2;
}
