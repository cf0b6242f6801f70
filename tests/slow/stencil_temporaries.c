/* Five temporaries in a stencil, used by a conversion that cuts. */
#include <stdint.h>

#pragma burstc size(N: 64, max 1024)
void stencil_temporaries(int N, const uint8_t a[N][N], uint8_t b[N][N])
{
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++) {
            int up = a[i - 1][j], down = a[i + 1][j];
            int left = a[i][j - 1], right = a[i][j + 1];
            uint8_t mean = (up + down + left + right) / 4;
            b[i][j] = mean > 100 ? 255 : mean;
        }
}
