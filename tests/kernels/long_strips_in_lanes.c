#include <stdint.h>

/* Four lanes in strips of all dimensions: every element crosses the memory's pins once. */
#pragma burstc size(N: 20, max 40, M: 20, max 40)
void long_strips_in_lanes(int N, int M, int16_t a[N][M], int16_t x[M], int32_t y[N])
{
#pragma burstc tile(i:8, j:16) strip(2) lanes(4)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            y[i] += a[i][j] * x[j];
}
