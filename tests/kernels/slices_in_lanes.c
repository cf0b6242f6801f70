#include <stdint.h>

// The same with several elements of a row at once, to and from memory: rows of a slice begin and end where beats do, or not.
#pragma burstc size(N: 21, max 40) size(M: 29, max 64) size(K: 18, max 40)
#pragma burstc layout(b, c: tiles)
void slices_in_lanes(int N, int M, int K, const int16_t a[N][K], const int16_t b[K][M], int16_t c[N][M])
{
#pragma burstc tile(i:8, j:16, k:8) lanes(4)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            for (int k = 0; k < K; k++)
                c[i][j] += a[i][k] * b[k][j];
}
