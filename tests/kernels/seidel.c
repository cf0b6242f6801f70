#include <stdint.h>

/* One sweep in place: five reads of one array, three of them of cells that the sweep writes; 16-bit elements. */
#pragma burstc size(N: 20, max 64)
void seidel(int N, int16_t a[N + 2][N + 2])
{
#pragma burstc tile(i:6, j:8)
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            a[i][j] = (a[i - 1][j] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j]) >> 2;
}
