#include <stdint.h>

#pragma burstc size(h: 9, max 64)
/* Lines and a window as in a stream's filter, of pixels that are computed; what they begin with is never seen. */
void line_computed(int h, const uint8_t rgb[h][32][3], int16_t out[h][32])
{
    static uint8_t lines[2][32];
    uint8_t window[3][3];
    for (int y = 0; y < h; y++)
        for (int x = 0; x < 32; x++) {
            uint8_t grey = (rgb[y][x][0] + 2 * rgb[y][x][1] + rgb[y][x][2]) / 4;
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 2; c++)
                    window[r][c] = window[r][c + 1];
            for (int r = 0; r < 2; r++)
                window[r][2] = lines[r][x];
            window[2][2] = grey;
            lines[0][x] = lines[1][x];
            lines[1][x] = grey;
            int edge = 0;
            if (y >= 2 && x >= 2)
                edge = window[0][0] + 2 * window[1][0] + window[2][0] - window[0][2] - 2 * window[1][2] - window[2][2];
            out[y][x] = edge;
        }
}
