#include <stdio.h>
#include "array_typedefs_types.h"

/* Globals, locals and arguments of types that a header calls arrays. */
static matrix a, b[2];
static const vector weights = {1, 3, 5, 7, 9, 11, 13};

static void init(matrix m, int seed)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m[i][j] = seed * i + j;
}

static void product(const matrix m, const vector v, vector result)
{
    for (int i = 0; i < N; i++) {
        result[i] = 0;
        for (int j = 0; j < N; j++)
            result[i] += m[i][j] * v[j];
    }
}

int main(void)
{
    vector total;
    typedef vector pair[2];
    pair both;
    init(a, 3);
    init(b[1], 5);
#pragma scop
    product(a, weights, both[0]);
    product(b[1], both[0], both[1]);
    for (int i = 0; i < N; i++)
        total[i] = both[0][i] - both[1][i];
#pragma endscop
    for (int i = 0; i < N; i++)
        printf("%d %d\n", total[i], both[0][i]);
    return 0;
}
