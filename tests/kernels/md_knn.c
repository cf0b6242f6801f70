#include <stdint.h>

/* Forces between molecules and their nearest neighbours, of which a list says the numbers. */
#define NEIGHBOURS 4

struct place {
    float x, y, z;
};

#pragma burstc size(n: 20, max 256)
void md_knn(int n, const struct place at[256], const uint8_t neighbours[n][NEIGHBOURS], struct place force[n])
{
    for (int i = 0; i < n; i++) {
        struct place sum = {0};
        for (int j = 0; j < NEIGHBOURS; j++) {
            struct place other = at[neighbours[i][j]];
            float dx = at[i].x - other.x, dy = at[i].y - other.y, dz = at[i].z - other.z;
            float r2inv = 1.0f / (dx * dx + dy * dy + dz * dz);
            float r6inv = r2inv * r2inv * r2inv;
            float f = r2inv * r6inv * (1.5f * r6inv - 2.0f);
            sum.x += f * dx;
            sum.y += f * dy;
            sum.z += f * dz;
        }
        force[i] = sum;
    }
}
