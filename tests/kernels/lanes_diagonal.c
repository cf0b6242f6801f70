#include <stdint.h>

/* Each iteration reads what a lane beside it wrote a row before. */
#pragma burstc size(N: 20, max 60, M: 20, max 60)
void lanes_diagonal(int N, int M, int32_t a[N + 1][M + 1])
{
#pragma burstc tile(i:16, j:8) lanes(8)
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= M; j++)
            a[i][j] = a[i][j] + 3 * a[i - 1][j - 1];
}
