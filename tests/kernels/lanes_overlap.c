#include <stdint.h>

#pragma burstc size(n: 30, max 320)
/* Lanes of four values where there are three: the fourth of one pixel has the cell that the next one's first has, and does not run. */
void lanes_overlap(int n, const uint8_t in[3 * n], uint8_t out[3 * n])
{
#pragma burstc tile(i:64, c:4) lanes(c:4, i:4)
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            out[3 * i + c] = 255 - in[3 * i + c];
}
