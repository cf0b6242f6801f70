#include <stdint.h>

#pragma burstc size(h: 7, max 40)
#pragma burstc size(w: 13, max 40)
/* An image whose extent names the length of a row first, gone through by rows and as a whole. */
void columns_first(int h, int w, uint8_t in[w * h], uint8_t out[w * h])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[y * w + x] = in[y * w + w - 1 - x];
    for (int i = 0; i < w * h; i++)
        out[i] = out[i] > 128 ? 255 : 0;
}
