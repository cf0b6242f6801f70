// Tiles as code generators write them: bounds are quotients of `double`s, rounded up or down.
#include <math.h>

#define ceild(n, d) ceil(((double)(n)) / ((double)(d)))
#define floord(n, d) floor(((double)(n)) / ((double)(d)))
#define max(x, y) ((x) > (y) ? (x) : (y))
#define min(x, y) ((x) < (y) ? (x) : (y))

#pragma burstc size(n: 40, max 200)
void rounded_bounds(int n, int a[n], int b[n + 1])
{
    int c1, i, lb, ub;
    for (c1 = -1; c1 <= floord(n + 5, 16); c1++) {
        lb = max(0, ceild(16 * c1 - 3, 1));
        ub = min(floord(3 * n - 2, 3), 16 * c1 + 12);
        for (i = lb; i <= ub; i++)
            if (c1 <= floord(4096 + i, 32) && i >= ceild(-n - 1, 7) + 2)
                a[i] += b[i] * c1;
    }
    for (i = max(ceild(n - 9, 3), 1); i < floor(n / 2.0) + 1; i++)
        b[i] -= a[(int)ceil((double)i / 2.0)];
}
