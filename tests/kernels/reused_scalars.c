#include <stdint.h>

/* One scalar serves two nests of different directions, and takes three values in a row in a third: each use is a scalar
   of its own, or the filters could not run side by side. */
#pragma burstc size(N: 9, max 32) size(M: 7, max 32)
void reused_scalars(int N, int M, int32_t a[N][M], int32_t rows[N][M], int32_t columns[N][M], int32_t last[N])
{
    int32_t before, two[2];
    for (int i = 0; i < N; i++) {
        before = i;
        for (int j = 0; j < M; j++) {
            rows[i][j] = a[i][j] - 3 * before;
            before = rows[i][j];
        }
    }
    for (int j = 0; j < M; j++) {
        before = 5 - j;
        for (int i = 0; i < N; i++) {
            columns[i][j] = a[i][j] - 7 * before;
            before = columns[i][j];
        }
    }
    before = 2;
    for (int i = 0; i < N; i++) {
        two[i % 2] = before + i;
        before = before * 3 + two[i % 2];
        last[i] = before;
        two[0] = i;
        last[i] += two[0];
    }
}
