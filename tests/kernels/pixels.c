#include <stdint.h>

#pragma burstc size(h: 9, max 48)
#pragma burstc size(w: 21, max 64)
/* Colours that lie beside each other, and brightness and differences that do not. */
void pixels(int h, int w, const uint8_t rgb[h][w][3], uint8_t light[h][w], uint8_t blue[h][w], uint8_t red[h][w])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int r = rgb[y][x][0], g = rgb[y][x][1], b = rgb[y][x][2];
            light[y][x] = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16;
            blue[y][x] = ((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128;
            red[y][x] = ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128;
        }
}
