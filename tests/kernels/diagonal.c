#include <stdint.h>

/* Sums along diagonals of bytes; a ternary, a shift and a cast. */
#pragma burstc size(N: 20, max 64)
void diagonal(int N, uint8_t a[N][N], uint16_t s[2 * N])
{
#pragma burstc schedule((i,j) -> (i+j, i)) tile(7, 3)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            s[i + j] += (a[i][j] > 100) ? a[i][j] : (uint8_t)(~a[i][j] << 1);
}
