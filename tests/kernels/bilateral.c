#include <stdint.h>

/* A bilateral filter: weights by distance and by difference from tables, and a division for every pixel. By itself
   burstc takes many lanes, each with a divider of its own. */
static const uint8_t near[3][3] = {{10, 12, 10}, {12, 16, 12}, {10, 12, 10}};
static const uint8_t alike[64] = {
    255, 253, 248, 240, 228, 215, 199, 182, 165, 147, 129, 113, 97, 82, 69, 58,
    47, 38, 31, 25, 19, 15, 12, 9, 7, 5, 4, 3, 2, 2, 1, 1,
};

static int difference(int a, int b) { return a > b ? a - b : b - a; }

#pragma burstc size(h: 9, max 64) size(w: 12, max 64)
void bilateral(int h, int w, const uint8_t in[h][w], uint8_t out[h][w])
{
#pragma burstc schedule(S0[y,x] -> (y, x); S1[y,x] -> (y, x); S2[y,x,dy,dx] -> (y, x); S3[y,x,dy,dx] -> (y, x); S4[y,x] -> (y, x)) tile(4, 8) wires(all)
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            int weights = 0, sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int pixel = in[y + dy][x + dx];
                    int weight = near[dy + 1][dx + 1] * alike[difference(pixel, in[y][x]) >> 2];
                    weights += weight;
                    sum += weight * pixel;
                }
            out[y][x] = sum / weights;
        }
}
