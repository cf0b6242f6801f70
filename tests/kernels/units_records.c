// A member that is written, in cells of the unit's own, beside another one that all units read anywhere: all have all that is loaded.
#include <stdint.h>
struct point {
    int16_t x, sum;
};
#pragma burstc size(n: 19, max 60)
void units_records(int n, struct point p[n])
{
#pragma burstc tile(i:16, j:8) units(i:4)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            p[i].sum += p[j].x * (i - j);
}
