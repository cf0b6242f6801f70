#include <stdint.h>

/* Images and volumes that C has in one dimension. */
#pragma burstc size(h: 5, max 20) size(w: 7, max 20) size(planes: 2, max 3) extent(in: h, w)
void flattened(int h, int w, int planes, const int16_t *in, int32_t out[w * h], int32_t all[planes * h * w])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            out[y * w + x] = in[y * w + x] * 3;
            if (x > 0 && y < h - 1)
                out[y * w + x] += in[(y + 1) * w + x - 1];
        }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[x + w * y] -= in[y * w + w - 1 - x];
    for (int c = 0; c < planes; c++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++)
                all[(c * h + y) * w + x] += out[(h - 1 - y) * w + x] * c;
}
