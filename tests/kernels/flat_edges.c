#include <stdint.h>

/* Rows in one dimension: places in the rows beside, pictures with a border, all elements backwards and by pointers, and places
   compared where rows may have no element. */
#pragma burstc size(h: 5, max 20) size(w: 7, max 20)
void flat_edges(int h, int w, const int32_t in[h * w], int32_t next[h * w], int32_t before[h * w],
                int32_t bordered[(h + 2) * (w + 2)], int32_t back[h * w], uint8_t low[h * w], int32_t begins[h],
                int32_t ends[h * w])
{
    for (int y = 0; y < h - 1; y++)
        for (int right = 0; right < w; right++)
            next[y * w + right] = in[y * w + right + 1] - in[y * w + right];
    for (int y = 1; y < h; y++)
        for (int left = 0; left < w; left++)
            before[y * w + left] = in[y * w + left - 1];
    int stride = w + 2;
    for (int i = 0; i < (h + 2) * (w + 2); i++)
        bordered[i] = -1;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            bordered[(y + 1) * stride + x + 1] = in[y * w + x];
    for (int i = h * w - 1; i >= 0; i--)
        back[i] = in[h * w - 1 - i];
    for (int i = h * w - 1; i > 0; --i)
        back[i] += in[i - 1];
    const int32_t *from = in, *end = in + h * w;
    uint8_t *to = low;
    while (from != end)
        *to++ = *from++ & 255;
    for (int y = 0; y < h; y++) {
        begins[y] = 0;
        if (y * w < 2 * w)
            begins[y] += 1;
        if (y * w == 0)
            begins[y] += 2;
        if (y * w >= 3 * w)
            begins[y] += 4;
    }
    for (int i = 0; i < h * w; i++) {
        int x = i % w;
        ends[i] = x < w - 1 ? in[i + 1] : 0;
    }
}
