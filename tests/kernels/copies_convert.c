/* Values that are handed on through variables of smaller types, which convert them: as bytes with a sign, without one, and as both. */
#include <stdint.h>
#pragma burstc size(n: 40, min 3, max 100)
void copies_convert(int n, const int32_t b[n], int32_t d[n], int32_t last[3])
{
    int x = 1;
    int8_t y = 1;
    uint8_t z = 2;
    for (int j = 0; j < n; j++) {
        if (j == 2)
            x = b[j];
        y = x;
        z = y;
    }
    last[0] = y;
    last[1] = z;
    last[2] = x;
    int16_t window[3] = {0, 0, 0};
    int8_t small[3] = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        small[0] = small[1];
        small[1] = window[0];
        window[0] = window[1];
        window[1] = window[2];
        window[2] = b[i];
        d[i] = window[0] + window[1] + window[2] - small[0] + small[1];
    }
}
