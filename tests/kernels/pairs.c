#include <stdint.h>

/* Counters that move at the same time, and end their loop together. */
#pragma burstc size(n: 17, max 100)
#pragma burstc size(m: 5, max 20)
void pairs(int n, int m, int32_t mirrored[n], int32_t rows[m][n], const int32_t a[2 * n + 1], int32_t folded[n + 1],
           int32_t behind[2])
{
    int i = 0, j = n - 1;
    while (i < j) {
        int32_t kept = mirrored[i];
        mirrored[i] = mirrored[j];
        mirrored[j] = kept;
        i++;
        j--;
    }
    behind[0] = i;
    behind[1] = j;
    for (int y = 0; y < m; y++) {
        int left = 0, right = n;
        while (left < right) {
            right--;
            rows[y][left] += rows[y][right] - y;
            left++;
        }
    }
    int low = 0, high = 2 * n, place = 0;
    while (low <= high) {
        folded[place] = a[low] + a[high];
        low += 1;
        high -= 1;
        place++;
    }
}
