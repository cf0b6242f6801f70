#include <stdint.h>

/* All shortest paths: a minimum by ternary, in place, every iteration of k needs the one before. */
#pragma burstc size(N: 13, max 64)
void floyd_warshall(int N, int32_t path[N][N])
{
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
}
