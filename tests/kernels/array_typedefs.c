#include <stdint.h>

/* Typedefs of arrays, of one another and of pointers, wherever a type stands. */
enum { H = 6, W = 13 };
typedef int16_t pixel;
typedef pixel row[W];
typedef row plane[H], *rows;
typedef plane volume[2];
typedef const row fixed_row;
typedef int32_t *numbers;

static void smooth(fixed_row in, row out)
{
    out[0] = in[0];
    for (int j = 1; j < W - 1; j++)
        out[j] = (in[j - 1] + 2 * in[j] + in[j + 1]) / 4;
    out[W - 1] = in[W - 1];
}

static void add(int from, const plane one, rows other, row *sum)
{
    for (int i = from; i < H; i++)
        for (int j = 0; j < W; j++)
            sum[i][j] = one[i][j] + other[i][j];
}

#pragma burstc extent(sums: 6)
void array_typedefs(const plane in, volume kept, plane out, const numbers restrict sums)
{
    plane smoothed;
    for (int i = 0; i < H; i++) {
        row copy;
        for (int j = 0; j < W; j++)
            copy[j] = in[i][j] + W;
        smooth(copy, smoothed[i]);
    }
    add(1, in, smoothed, out);
    for (int i = 0; i < H; i++) {
        sums[i] = 0;
        for (int j = 0; j < W; j++) {
            sums[i] += out[i][j];
            kept[i % 2][i][j] = smoothed[i][j];
        }
    }
}
