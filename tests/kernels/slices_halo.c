#include <stdint.h>

// A stencil in narrow tiles: slices begin where what a tile loads does. Columns beside the slices' cells stay as they are.
#pragma burstc size(N: 21, max 48) size(M: 30, max 48)
#pragma burstc layout(from, to: tiles)
void slices_halo(int N, int M, const int16_t from[N + 2][M + 3], int16_t to[N + 2][M + 3])
{
#pragma burstc tile(i:8, j:8)
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= M; j++)
            to[i][j] = from[i - 1][j] + from[i + 1][j] - from[i][j - 1] + 3 * from[i][j + 1] + from[i][j];
}
