#include <stdint.h>

/* Updates under conditions on data, of the cell itself, too, and as choices; few cells, so that neighbours meet. */
#pragma burstc size(N: 300, max 4096)
void histogram_guarded(int N, const int16_t x[N], int16_t h[100], uint8_t full[8], uint8_t most[8], int16_t top[4],
                       uint16_t bits[4])
{
    for (int i = 0; i < N; i++) {
        int k = x[i] % 128;
        if (k >= 0 && k < 100)
            h[k] -= 3;
        else
            h[99] = h[99] ^ 1;
        if (full[x[i] & 7] < 255)
            full[x[i] & 7]++;
        most[x[i] & 7] = most[x[i] & 7] < 200 ? most[x[i] & 7] + 1 : 200;
        if (x[i] > top[(x[i] >> 2) & 3])
            top[(x[i] >> 2) & 3] = x[i];
        bits[x[i] & 3] |= 1 << (i & 15);
        bits[~x[i] & 3] = ~bits[~x[i] & 3];
    }
}
