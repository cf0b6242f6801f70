#include <stdint.h>

#define SWAP(x, y) do { int32_t t_ = x; x = y; y = t_; } while (0)

/* Local arrays that begin with values: zeros, lists that are shorter than the array, full ones, rows, elements that the list names. */
#pragma burstc size(n: 21, max 30)
void local_lists(int n, int32_t a[30], int32_t b[30], const uint8_t codes[30], int32_t bins[8], int32_t sums[30])
{
    int32_t count[0x10] = {0}, first[8] = {3, -n};
    int32_t marks[8] = {[5] = n, 6, [1] = -2, [5] = 7, 8}, full[3] = {1, 2, [0] = n}, pairs[3][2] = {[1] = {n, 4}, {[1] = 5}};
    for (int i = 0; i < n; i++) {
        int32_t taps[3] = {a[i], 2 * b[i], codes[i]}, rows[2][2] = {{1, 2}, {3, n}}, more[2][3] = {{4}, {0, 5}};
        sums[i] = taps[0] + taps[1] * taps[2] + rows[1][1] * rows[0][1] + more[0][0] + more[0][2] + more[1][1] * more[1][2];
        SWAP(a[i], b[n - 1 - i]);
        count[i % 8] += codes[i];
    }
    for (int i = 0; i < 8; i++)
        bins[i] = count[i] + first[i] + marks[i] * (full[i % 3] + 10) + pairs[i % 3][i / 4];
}
