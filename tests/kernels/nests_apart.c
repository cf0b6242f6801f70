/* The first nest counts what it finds and the last one reads what that left, so that no loop is around all of them: a counter's two
   statements take turns, and the other nests have rows of their own. */
#include <stdint.h>
#define N 12
void nests_apart(uint8_t g[N][N], int32_t par[N * N], int32_t o[N][N], int32_t sz[N * N])
{
    int next = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (g[i][j] & 1)
                par[next++] = i;
    for (int k = 0; k < N * N; k++)
        sz[k] = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            o[i][j] = par[g[i][j] & 127] & 127;
            sz[o[i][j]]++;
        }
}
