#include <stdint.h>

/* The largest element of each row; terms of lanes that do not run count as the smallest value. */
#pragma burstc size(N: 20, max 50, M: 20, max 60)
void lanes_largest(int N, int M, int16_t a[N][M], int16_t m[N])
{
#pragma burstc tile(i:2, j:16) lanes(16)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            m[i] = m[i] < a[i][j] ? a[i][j] : m[i];
}
