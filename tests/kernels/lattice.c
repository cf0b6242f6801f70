// Lattice-Boltzmann on nine directions (D2Q9): two grids that take turns, walls that throw back what meets them, a moving
// lid. The planes of the directions have nothing to do with each other.
#define W 9
#define H 7
enum { REST, NORTH, SOUTH, EAST, WEST, NORTH_EAST, NORTH_WEST, SOUTH_EAST, SOUTH_WEST, DIRECTIONS };

void collide(float c, float n, float s, float e, float w, float ne, float nw, float se, float sw, float *restrict out_c,
             float *restrict out_n, float *restrict out_s, float *restrict out_e, float *restrict out_w,
             float *restrict out_ne, float *restrict out_nw, float *restrict out_se, float *restrict out_sw, float omega,
             int y, int x)
{
    float rho, ux, uy, u2;
    if (((y == 1 || y == H) && (x > 0 && x < W + 1)) || ((x == 1 || x == W) && (y > 1 && y < H))) {
        *out_c = c;
        *out_s = n;
        *out_n = s;
        *out_w = e;
        *out_e = w;
        *out_sw = ne;
        *out_se = nw;
        *out_nw = se;
        *out_ne = sw;
        return;
    }
    rho = n + s + e + w + ne + nw + se + sw + c;
    ux = (se + e + ne) - (sw + w + nw);
    uy = (nw + n + ne) - (sw + s + se);
    if (y == H - 1 && x > 1 && x < W) {
        ux = 0.05f;
        uy = 0;
    }
    u2 = 1.5f * (ux * ux + uy * uy);
    *out_c = (1 - omega) * c + omega * (rho * (1 - u2));
    *out_n = (1 - omega) * n + omega * (rho * (1 + 3 * uy + 4.5f * uy * uy - u2));
    *out_s = (1 - omega) * s + omega * (rho * (1 - 3 * uy + 4.5f * uy * uy - u2));
    *out_e = (1 - omega) * e + omega * (rho * (1 + 3 * ux + 4.5f * ux * ux - u2));
    *out_w = (1 - omega) * w + omega * (rho * (1 - 3 * ux + 4.5f * ux * ux - u2));
    *out_ne = (1 - omega) * ne + omega * (rho * (1 + 3 * (ux + uy) - u2));
    *out_nw = (1 - omega) * nw + omega * (rho * (1 + 3 * (uy - ux) - u2));
    *out_se = (1 - omega) * se + omega * (rho * (1 + 3 * (ux - uy) - u2));
    *out_sw = (1 - omega) * sw + omega * (rho * (1 - 3 * (ux + uy) - u2));
}

#pragma burstc size(T: 4, max 100)
void lattice(int T, float omega, float grid[2][H + 2][W + 2][DIRECTIONS])
{
    for (int t = 0; t < T; t++)
        for (int y = 1; y <= H; y++)
            for (int x = 1; x <= W; x++)
                collide(grid[t % 2][y][x][REST], grid[t % 2][y - 1][x][NORTH], grid[t % 2][y + 1][x][SOUTH],
                        grid[t % 2][y][x - 1][EAST], grid[t % 2][y][x + 1][WEST], grid[t % 2][y - 1][x - 1][NORTH_EAST],
                        grid[t % 2][y - 1][x + 1][NORTH_WEST], grid[t % 2][y + 1][x - 1][SOUTH_EAST],
                        grid[t % 2][y + 1][x + 1][SOUTH_WEST], &grid[(t + 1) % 2][y][x][REST],
                        &grid[(t + 1) % 2][y][x][NORTH], &grid[(t + 1) % 2][y][x][SOUTH],
                        &grid[(t + 1) % 2][y][x][EAST], &grid[(t + 1) % 2][y][x][WEST],
                        &grid[(t + 1) % 2][y][x][NORTH_EAST], &grid[(t + 1) % 2][y][x][NORTH_WEST],
                        &grid[(t + 1) % 2][y][x][SOUTH_EAST], &grid[(t + 1) % 2][y][x][SOUTH_WEST], omega, y, x);
}
