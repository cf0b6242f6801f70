/* A network of three layers, each a function: the kernel is what no other calls. */
#define H 12
#define W 9

static void filter(short in[H][W], short out[H][W], short weight)
{
    for (int y = 1; y < H - 1; y++)
        for (int x = 1; x < W - 1; x++)
            out[y][x] = weight * (in[y - 1][x] - in[y][x - 1] + in[y + 1][x]);
}

static void relu(short p[H][W])
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            p[y][x] = p[y][x] > 0 ? p[y][x] : 0;
}

static void pool(short in[H][W], short out[H / 2][W / 2])
{
    for (int y = 0; y < H / 2; y++)
        for (int x = 0; x < W / 2; x++) {
            short most = in[2 * y][2 * x];
            if (in[2 * y + 1][2 * x + 1] > most)
                most = in[2 * y + 1][2 * x + 1];
            out[y][x] = most;
        }
}

void network(short in[H][W], short middle[H][W], short out[H / 2][W / 2], short weight)
{
    filter(in, middle, weight);
    relu(middle);
    pool(middle, out);
}
