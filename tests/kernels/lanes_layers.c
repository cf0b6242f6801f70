#include <stdint.h>

/* Two layers of a network in lanes: biases, products, a clamp, and a chain along rows, which has no lanes. */
#pragma burstc size(N: max 40)
#pragma burstc size(M: max 40)
void lanes_layers(int N, int M, int8_t x[N][M], int8_t w[M][M], int32_t bias[M], int32_t y[N][M], int32_t z[N][M], int32_t s[N])
{
#pragma burstc tile(i:8, j:16, k:8) lanes(4)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            y[i][j] = bias[j];
            for (int k = 0; k < M; k++)
                y[i][j] += x[i][k] * w[k][j];
            y[i][j] = y[i][j] < 0 ? 0 : y[i][j];
        }
#pragma burstc tile(i:16, j:8) lanes(4)
    for (int i = 0; i < N; i++)
        for (int j = 1; j < M; j++) {
            z[i][j] = y[i][j] - y[i][j - 1];
            s[i] = 3 * s[i] + z[i][j];
        }
}
