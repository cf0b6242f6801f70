#include <stdint.h>

/* Local scalars: two accumulators of an inner loop, and one that several statements of an iteration share. */
#pragma burstc size(N: 15, max 64) size(M: 12, max 64)
void local_scalars(int N, int M, int16_t a[N][M], int64_t sum[N], int32_t largest[N])
{
    for (int i = 0; i < N; i++) {
        int64_t squares = 0;
        int32_t top = -32768;
        for (int j = 0; j < M; j++) {
            const int32_t value = a[i][j] - i;
            int32_t square;
            square = value * value;
            squares += square;
            top = value > top ? value : top;
        }
        sum[i] = squares;
        largest[i] = top;
    }
}
