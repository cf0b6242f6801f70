/* Packets whose lengths are data, words between blanks, runs of equal values, and a Fenwick tree. */
#include <stdint.h>
#define N 24
int32_t uneven_steps(const uint8_t packets[N], const uint8_t text[N], uint8_t kinds[N], uint8_t runs[2 * N], int32_t tree[33], int32_t at)
{
    int i = 0, k = 0, words = 0, sum = 0;
    while (i + 1 < N) {
        uint8_t length = packets[i + 1] & 7;
        kinds[k++] = packets[i];
        i += length + 2;
    }
    for (i = 0; i < N;) {
        if ((text[i] & 3) != 0) {
            while (i < N && (text[i] & 3) != 0)
                i++;
            words++;
        } else
            i++;
    }
    int o = 0;
    for (i = 0; i < N;) {
        int run = 1;
        while (i + run < N && text[i + run] == text[i] && run < 5)
            run++;
        runs[o++] = run;
        runs[o++] = text[i];
        i += run;
    }
    int j = (at & 31) + 1;
    while (j <= 32) {
        tree[j] += at;
        j += j & -j;
    }
    for (j = at & 31; j > 0; j -= j & -j)
        sum += tree[j];
    return sum + 1000 * words + 100000 * k;
}
