// Loops that a value ends which is in the data somewhere: no size says how far they run.
#include <stdint.h>
int terminated(const char text[60], char upper[60], const int16_t key[4][12], int16_t wanted, int32_t at[4], const float level[20],
               float sum[1])
{
    int length = 0;
    while (text[length] != '\n') {
        upper[length] = text[length] >= 'a' && text[length] <= 'z' ? text[length] - 32 : text[length];
        length++;
    }
    for (int r = 0; r < 4; r++) {
        int k = 11;
        while (key[r][k] != wanted) k--;
        at[r] = k;
    }
    float s = 0;
    for (int i = 0; level[i] >= -100; i++) s += level[i];
    sum[0] = s;
    return length;
}
