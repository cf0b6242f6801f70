#include <stddef.h>
#include <stdint.h>

/* Images in one dimension whose places are variables: assigned, moved on, in pixels of several channels and in planes. */
#pragma burstc size(h: 5, max 20) size(w: 7, max 20)
void flat_scalars(int h, int w, const uint8_t rgb[h * w * 3], uint8_t planes[3 * h * w], int32_t grey[h * w],
                  int32_t edges[h * w])
{
    int idx, next = 0, stride = w;
    for (int y = 0; y < h; y++) {
        int row = y * stride;
        for (int x = 0; x < w; x++) {
            idx = (row + x) * 3;
            grey[next++] = (rgb[idx] * 77 + rgb[idx + 1] * 150 + rgb[idx + 2] * 29) >> 8;
            for (int c = 0; c < 3; c++)
                planes[c * h * w + row + x] = rgb[3 * (y * w + x) + c];
        }
    }
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            size_t at = (size_t)y * w + x;
            edges[at] = 4 * grey[at] - grey[at - 1] - grey[at + 1] - grey[at - w] - grey[at + w] + grey[at - w - 1];
        }
    for (int i = 0; i < h * w; i++)
        grey[i] = 255 - grey[i];
    for (int y = 0; y < h; y++)
        for (int i = y * w; i < (y + 1) * w; i++)
            edges[i] += grey[i];
}
