// Rows that are cleared, copied and moved by the functions of <string.h>, and the rest of a loop in steps of four.
#include <stdint.h>
#include <string.h>

#define TAPS 6

static const int8_t weights[TAPS] = {1, -2, 5, 5, -2, 1};

static void clear(int32_t *row, int count)
{
    memset(row, 0, count * sizeof *row);
}

#pragma burstc size(h: 9, max 40)
#pragma burstc size(w: 13, min 1, max 40)
void memory_blocks(int h, int w, const int16_t in[h][w], int16_t copy[h][w], int32_t sums[w], uint8_t marks[w])
{
    int16_t line[TAPS];
    int i;

    clear(sums, w);
    memset(marks, 0xA5, w);
    for (int y = 0; y < h; y++) {
        memcpy(copy[y], in[y], sizeof in[y]);
        memset(line, 0, sizeof(line));
        for (int x = 0; x < w; x++) {
            memmove(&line[1], &line[0], (TAPS - 1) * sizeof(line[0]));
            line[0] = in[y][x];
            for (unsigned k = 0; k < sizeof(weights) / sizeof(weights[0]); k++)
                sums[x] += weights[k] * line[k];
        }
    }
    for (i = 0; i + 4 <= w; i += 4) {
        marks[i] += 1;
        marks[i + 1] += 2;
        marks[i + 2] += 3;
        marks[i + 3] += 4;
    }
    for (; i < w; i++)
        marks[i] ^= (uint8_t)i;
}
