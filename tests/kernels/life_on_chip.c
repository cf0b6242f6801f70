/* Conway's life on a local board, without the cell itself among its neighbours: many small nests in a loop over time, whose tiles of one
   value each would pass the board through memory. The whole program is one tile. */
#include <stdint.h>
#define N 10
void life_on_chip(uint8_t a[N][N], uint8_t b[N][N], int32_t alive[N])
{
    uint8_t cur[N][N], nxt[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            cur[i][j] = a[i][j] & 1;
    for (int t = 0; t < 3; t++) {
        int live = 0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                int n = 0;
                for (int di = -1; di <= 1; di++)
                    for (int dj = -1; dj <= 1; dj++)
                        if ((di != 0 || dj != 0) && i + di >= 0 && i + di < N && j + dj >= 0 && j + dj < N)
                            n += cur[i + di][j + dj];
                nxt[i][j] = n == 3 || (cur[i][j] && n == 2);
                live += nxt[i][j];
            }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                cur[i][j] = nxt[i][j];
        alive[t] = live;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            b[i][j] = cur[N - 1 - i][j];
}
