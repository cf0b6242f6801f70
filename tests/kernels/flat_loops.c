#include <stdint.h>

/* Loops over all elements of rows: all but the first or the last, from the second row on, with rows and columns by division. */
#pragma burstc size(h: 5, max 20) size(w: 7, max 20)
void flat_loops(int h, int w, const int32_t in[h * w], int32_t deltas[h * w], int32_t sums[h * w], int32_t down[h * w],
                int32_t turned[w * h], int32_t edges[h * w], int32_t rows[h][w], uint8_t pixels[2 * h * 2 * w],
                int32_t first[w], int32_t wrapped[h * w])
{
    int q = 0;
    for (int x = 0; x < w; x++)
        first[x] = in[q * w + x];
    for (int i = 1; i < h * w; i++)
        deltas[i] = in[i] - in[i - 1];
    for (int i = 0; i < h * w - 1; i++)
        sums[i] = in[i] + in[i + 1];
    for (int i = w; i < h * w; i++)
        down[i] = in[i] - in[i - w];
    for (int i = 0; i < h * w; i++)
        turned[i % w * h + i / w] = in[i];
    for (int i = 0; i < h * w; i++) {
        int y = i / w, x = i % w, sum = in[i];
        if (x > 0)
            sum += in[i - 1];
        if (x < w - 1)
            sum -= in[i + 1];
        if (y > 0)
            sum ^= in[i - w];
        if (y < h - 1)
            sum += 3 * in[i + w];
        edges[i] = sum;
    }
    for (int i = 0; i < h * w; i++)
        rows[i / w][i % w] = in[i] * 2;
    for (int y = 0; y < 2 * h; y++)
        for (int x = 0; x < 2 * w; x++)
            pixels[y * 2 * w + x] = in[y / 2 * w + x / 2];
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            wrapped[y * w + x] = in[y * w + (x + 1) % w] + in[(y + h - 1) % h * w + x % w];
}
