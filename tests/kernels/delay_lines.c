/* Values that iterations hand on through copies: state of filters along rows and columns, samples that move through a short array,
   bytes that a copy cuts off, a value from behind its loop; and copies of what is written again before they are used, which stay. */
#include <stdint.h>

#pragma burstc size(N: 24, max 40) size(M: 20, max 40)
void delay_lines(int N, int M, const int x[N][M], int y[N][M], int z[N][M], int taps[5], int moved[N], uint8_t low[N][M], int last[N])
{
    int d[5] = {0};
    for (int i = 0; i < N; i++) {
        for (int k = 4; k > 0; k--)
            d[k] = d[k - 1];
        d[0] = x[i][0];
        int sum = 0;
        for (int k = 0; k < 5; k++)
            sum += taps[k] * d[k];
        moved[i] = sum;
    }
    for (int i = 0; i < N; i++) {
        int y1 = 1, y2 = 0, before = -1;
        for (int j = 0; j < M; j++) {
            y[i][j] = x[i][j] + 3 * y1 - 2 * y2 + before;
            before = x[i][j];
            y2 = y1;
            y1 = y[i][j];
        }
        last[i] = y2 - before;
    }
    for (int j = 0; j < M; j++) {
        uint8_t byte = 7;
        for (int i = N - 1; i >= 0; i--) {
            low[i][j] = byte ^ (y[i][j] >> 3);
            byte = (uint8_t)x[i][j];
        }
    }
    for (int i = 0; i < N; i++) {
        int old = 0;
        for (int j = 0; j < M; j++) {
            int own = z[i][j];
            z[i][j] = own + old;
            old = own;
        }
    }
}
