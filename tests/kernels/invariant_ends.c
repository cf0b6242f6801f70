/* Loops that end behind an iteration on what no iteration changes: the first always runs. */
#include <stdint.h>
#define N 9
#pragma burstc size(n: 9, min 0, max 9)
void invariant_ends(int n, int32_t a[N][N], int32_t b[N][N], int32_t c[N], int32_t d[N][N])
{
    for (int i = 0; i < N; i++)
        for (int q = 0; q < N; q++) {
            a[i][q] += 5;
            if (i & 1)
                break;
        }
    for (int i = 0; i < n; i++) {
        int q = 0;
        do {
            b[i][q] ^= i + q;
            q++;
        } while (q < N && i % 3 != 1);
    }
    for (int q = 0; q < N; q++) {
        c[q] -= 7;
        if (n & 1)
            break;
    }
    for (int i = 0; i < n; i++)
        for (int q = 0; q < n; q++) {
            d[i][q] = q;
            if (i >= 2 && i <= 4)
                break;
        }
}
