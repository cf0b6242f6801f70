#include <stdint.h>

// A product whose matrices lie in memory in slices as wide as tiles step: elements of three sizes, and sizes that no tile divides.
#pragma burstc size(N: 21, max 40) size(M: 13, max 40) size(K: 18, max 40)
#pragma burstc layout(a, b, c: tiles)
void slices(int N, int M, int K, const int16_t a[N][K], const int8_t b[K][M + 2], int32_t c[N + 1][M])
{
#pragma burstc tile(i:8, j:4, k:8)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            for (int k = 0; k < K; k++)
                c[i + 1][j] += a[i][k] * b[k][j + 1];
}
