// Loops that look at an element in every round, by a step before, between or behind; what ends them is in the data.
#include <stdint.h>
struct entry {
    int16_t key, value;
};
int searched(const int16_t x[40], const struct entry t[24], int16_t wanted, const int8_t s[48], const int8_t ends[3], int32_t at[8])
{
    int i = 0;
    do {
        i++;
    } while (x[i] != 7);
    at[0] = i;
    while (x[--i] != wanted)
        ;
    at[1] = i;
    int k = 0;
    while (t[k].key != 0 && t[k].key != wanted) k++;
    at[2] = t[k].value;
    for (int e = 0; e < 3; e++) {
        int j = 0;
        while (s[j] != ends[e]) j += 2;
        at[3 + e] = j;
    }
    for (k = 0;; k++) {
        if (t[k].key == 0) return -1;
        if (t[k].key == wanted) return k;
    }
}
