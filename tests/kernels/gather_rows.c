#include <stdint.h>

/* Rows of an array of any width up to 300, some read only where the subscript is inside. */
#pragma burstc size(N: 100, max 4096) size(M: 200, min 1, max 300)
void gather_rows(int N, int M, const int32_t x[N], const float w[4][M], float y[N])
{
    for (int i = 0; i < N; i++) {
        int k = x[i] + 1;
        float s = k < M ? w[i % 4][k] : 0.5f;
        s = s * w[2][x[i]];
        if (x[i] > 7 && w[3][x[i] - 8] > 0.0f)
            s += w[1][x[i]] * w[1][x[i]];
        y[i] = s;
    }
}
