#include <stdint.h>

/* Affine conditions: else, else if, || and && and !, nested, around statements and around loops. */
#pragma burstc size(N: 16, max 64)
void conditions(int N, int32_t a[N][N], int32_t b[N][N])
{
    for (int i = 0; i < N; i++) {
        if (2 * i >= N) {
            for (int j = 0; j < N; j++)
                if (j < i || j > i + 2)
                    a[i][j] = b[i][j] + 1;
                else if (!(i == j))
                    a[i][j] = b[j][i] - 1;
        } else
            for (int j = 0; j < N; j++) {
                if (i + j < N && j != 3)
                    a[i][j] += b[i][j];
                if (j % 2 == 0) {
                    if (i > 2)
                        b[i][j] = a[i][j];
                } else
                    b[i][j] = -a[i][j];
            }
    }
}
