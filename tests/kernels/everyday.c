#include <stdint.h>

/* Everyday C: loops in other words, choices between subscripts and bounds, range checks without sign, tables. */
static const int8_t weights[3][3] = {{1, 2, 1}, {2, -4, 2}, {1, 2, 1}};

#pragma burstc size(h: 6, max 8) size(w: 7, max 8)
void everyday(int h, int w, uint8_t in[h][w], int16_t blur[h][w], int32_t mirror[h][w], int32_t total[w])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    if ((unsigned)(y + dy) < (unsigned)h && (unsigned)(x + dx) < (unsigned)w)
                        sum += weights[dy + 1][dx + 1] * in[y + dy][x + dx];
            blur[y][x] = sum >> 4;
        }
    int y = h;
    while (y-- > 0) {
        for (int x = 0, last = w - 1; x < w; x++, last--) {
            if (y == 0 && x > 2)
                continue;
            mirror[y][x] = in[y > 0 ? y - 1 : 0][last] + in[y][x < w - 1 ? x + 1 : w - 1];
        }
    }
    for (int x = h < w ? h : 0; x < (w > 5 ? w - 1 : w); x++)
        total[x == 0 ? w - 1 : x - 1] += blur[0][x] + mirror[h - 1][x];
}
