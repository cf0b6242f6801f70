#include <math.h>

static void cell(float from_left, float from_right, float wall, float *right, float *left)
{
    float density, speed;
    if (powf(wall - 0.5f, 2) < 0.0625f) {
        *right = from_right;
        *left = from_left;
        return;
    }
    density = from_left + from_right;
    speed = (from_left - from_right) / density;
    if (wall > 0.9f) {
        speed = 0.25f - density;
        density = 1.0f;
    }
    *right = 0.5f * density * (1.0f + speed + powf(speed, 2.0f));
    *left = 0.5f * density * (1.0f - speed + powf(speed, 2.0f));
}

void obstacles(int steps, float grid[2][34][2], const float wall[34])
{
#pragma burstc size(steps: 4, max 16)
    for (int t = 0; t < steps; t++)
        for (int x = 1; x < 33; x++)
            cell(grid[t % 2][x - 1][0], grid[t % 2][x + 1][1], wall[x], &grid[(t + 1) % 2][x][0],
                 &grid[(t + 1) % 2][x][1]);
}
