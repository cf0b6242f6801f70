#include <stdint.h>

/* An imperfect nest: statements before, between and after inner loops, at three depths. */
#pragma burstc size(N: 12, max 64) size(M: 9, max 64)
void imperfect(int N, int M, int32_t a[N][M], int32_t row[N], int32_t column[M], int32_t total[1])
{
    total[0] = 0;
    for (int i = 0; i < N; i++) {
        row[i] = i;
        for (int j = 0; j < M; j++) {
            row[i] += a[i][j];
            column[j] ^= a[i][j];
        }
        total[0] += row[i];
        for (int j = 0; j < M; j++)
            a[i][j] -= row[i];
        row[i] = -row[i];
    }
}
