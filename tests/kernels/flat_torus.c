#include <stdint.h>

/* Neighbours on a torus of rows in one dimension, by remainders that are up to twice less than what they are of. */
#pragma burstc size(h: 5, max 20) size(w: 7, max 20)
void flat_torus(int h, int w, const int32_t in[h * w], int32_t life[h * w])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    if (dy || dx)
                        sum += in[((y + dy + h) % h) * w + (x + dx + w) % w];
            life[y * w + x] = sum;
        }
}
