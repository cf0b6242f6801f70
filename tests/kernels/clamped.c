// Neighbours beyond the border of an image are the border's: chosen in both directions at once.
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
static int clamp(int v, int low, int high)
{
    return v < low ? low : v > high ? high : v;
}

#pragma burstc size(h: 9, max 50) size(w: 13, max 60)
void clamped(int h, int w, const unsigned char in[h][w], int box[h][w], int far[h][w], int bent[h][w])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum += in[clamp(y + dy, 0, h - 1)][clamp(x + dx, 0, w - 1)];
            box[y][x] = sum;
            int up = MAX(0, MIN(h - 1, y - 4)), right = MAX(0, MIN(w - 1, x + 5));
            far[y][x] = in[up][right] - in[y][x];
            bent[y][x] = in[y < 1 ? 1 - y : y - 1][x > w - 2 ? 2 * w - 3 - x : x + 1];
        }
}
