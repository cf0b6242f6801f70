/* Such cells in rows of bytes that begin anywhere in a word, in the other half of a plane, and of other widths beside them. */
#include <stdint.h>

#pragma burstc size(h: 9, max 32) size(w: 23, max 64)
void masks_of_rows(int h, int w, uint8_t m[h][w], uint8_t in[h][w], uint8_t out[2 * h][w], double far[h][w], int16_t sum[w + 2])
{
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            if (m[i][j] & 1)
                out[h + i][w - 1 - j] = in[i][j] >> 1;
            else if (m[i][j] > 200) {
                out[h + i][w - 1 - j] = 255;
                far[i][j] = in[i][j] * 0.5;
            }
            if (m[i][j] & 4)
                out[i][j] = m[i][j];
        }
    sum[w] = 7;
    for (int j = 0; j < w; j++)
        if (in[0][j] > 100)
            sum[j] = in[0][j] - m[0][j];
}
