#include <stdint.h>

/* Places in rows of one dimension that are data: in whatever row, and in the row before by a column below 0. */
#pragma burstc size(h: 5, max 8) size(w: 7, max 9) range(at: 0..7) range(by: -1..0)
void flat_data(int h, int w, const uint8_t at[h * w], const int8_t by[h * w], const int32_t in[8 * w],
               int32_t out[h * w], int32_t marks[8 * w])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int place = at[y * w + x] * w + x;
            out[y * w + x] = in[place] * 3;
            marks[place] += y;
            if (y > 0)
                out[y * w + x] -= in[y % 8 * w + x + by[y * w + x]];
        }
    for (int x = 0; x < w && h > 0; x++)
        marks[at[x] * w + w - 1 - x] -= 5;
}
