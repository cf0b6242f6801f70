/* Rows of which not all elements are read or written: what lies between two is moved along, where bursts are worth it. */
#include <stdint.h>
#define N 96
#pragma burstc size(n: 96, min 0, max 96)
typedef struct {
    int16_t x, y, z, id;
} point;
void strides(int n, const uint8_t rgba[7][N][4], uint8_t gray[7][N], const int32_t even[2 * N], int32_t half[N],
             point moved[N], uint8_t kept[3 * N], const int16_t far[5 * N + 3],
             int16_t large[N][2])
{
    for (int y = 0; y < 7; y++)
        for (int x = 0; x < n; x++)
            gray[y][x] = (77 * rgba[y][x][0] + 150 * rgba[y][x][1] + 29 * rgba[y][x][2]) >> 8;
    for (int i = 0; i < n; i++)
        half[i] = even[2 * i] * 3;
    for (int i = 0; i < n; i++) {
        moved[i].x += moved[i].id;
        moved[i].z -= 1;
    }
    for (int i = 0; i < n; i++)
        kept[3 * i + 1] = far[5 * i] + far[5 * i + 3];
    for (int i = 0; i < n; i++)
        if (far[5 * i] > 500)
            large[i][0] = far[5 * i];
}
