#include <stdint.h>

#pragma burstc size(w: 12, min 3, max 64)
#pragma burstc size(h: 7, max 40)
/* A filter as it is written for a stream of pixels: two lines that move up, and a window that moves right. */
void line_buffer(int w, int h, const uint8_t in[h][w], uint8_t out[h][w])
{
    uint8_t lines[2][64] = {{0}}, window[3][3] = {{0}};
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            uint8_t pixel = in[y][x];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 2; c++)
                    window[r][c] = window[r][c + 1];
            window[0][2] = lines[0][x];
            window[1][2] = lines[1][x];
            window[2][2] = pixel;
            lines[0][x] = lines[1][x];
            lines[1][x] = pixel;
            if (y >= 2 && x >= 2) {
                int sum = 0;
                for (int r = 0; r < 3; r++)
                    for (int c = 0; c < 3; c++)
                        sum += window[r][c];
                out[y - 1][x - 1] = sum / 9;
            }
        }
}
