#include <stdint.h>

/* A matrix product of bytes on 4 x 4 units: a cycle reads four cells of a and four of b, and each is sent to four units. */
#pragma burstc size(N: max 60)
#pragma burstc size(M: max 60)
void lanes_grid(int N, int M, int8_t a[N][M], int8_t b[M][N], int32_t c[N][N])
{
#pragma burstc tile(i:8, j:16, k:8) lanes(i:4, j:4)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            c[i][j] = 0;
            for (int k = 0; k < M; k++)
                c[i][j] += a[i][k] * b[k][j];
        }
}
