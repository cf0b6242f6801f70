// Loops that data bound and a break leaves: an array that every round looks into tells how far they run at most.
#include <stdint.h>
#pragma burstc size(n: 14, max 20)
#pragma burstc range(start: 0..30)
int sets(int n, const uint8_t x[n], uint8_t set[20], uint8_t count[20], const int16_t start[n + 1], const int16_t column[30],
         const int16_t value[30], int16_t at[n], int32_t sum[n][3])
{
    int size = 0;
    for (int i = 0; i < n; i++) {
        int p;
        for (p = 0; p < size; p++)
            if (set[p] == (x[i] & 7)) break;
        if (p == size) {
            set[size] = x[i] & 7;
            count[size++] = 0;
        }
        count[p]++;
    }
    for (int i = 0; i < n; i++) {
        at[i] = -1;
        for (int k = start[i]; k < start[i + 1]; k++) {
            int distance = column[k] - value[k];
            if (distance < 0) distance = -distance;
            if (distance < 20000) {
                at[i] = k - start[i];
                break;
            }
        }
        for (int k = start[i]; k < start[i + 1]; k++)
            for (int c = 0; c < 3; c++)
                sum[i][c] += value[k] * (c + 1);
    }
    for (int i = 0; i < n; i++) {
        int last = x[i] & 15;
        while (last >= 0 && set[last] != 3) last--;
        at[i] += last;
    }
    return size;
}
