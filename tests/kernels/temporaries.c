#include <stdint.h>

/* Temporaries that are wires: of several widths, read more than once, under a condition, and one that is old when it is
   read and stays memory. */
#pragma burstc size(N: 13, max 64) size(M: 15, max 64)
void temporaries(int N, int M, int16_t a[N][M], int32_t b[N][M], uint8_t c[N][M])
{
    int32_t t;
    for (int i = 0; i < N; i++)
        for (int j = 1; j < M; j++) {
            int16_t v0 = a[i][j];
            int16_t v1 = a[i][j - 1];
            uint8_t v2 = v0 + v1;
            int32_t v3 = v0 * v2;
            t = v3 - i;
            b[i][j] = t + v3;
            t = t ^ v0;
            if (i > 3) {
                int16_t v4 = t >> 2;
                c[i][j] = v4 + v2;
            }
            uint8_t old = c[i][j - 1];
            c[i][j - 1] = t;
            b[i][j] += old;
        }
}
