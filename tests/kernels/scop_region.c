#include <stdint.h>

/* A region marked by scop pragmas, with macros for the sizes, as in PolyBench/C. */
#ifndef TYPE
#define TYPE int
#endif
#define _N n
#pragma burstc size(n: 18, max 64)
static void scop_region(int n, TYPE alpha, TYPE a[64][64], TYPE x[64], TYPE y[64])
{
    int i, j;
#pragma scop
    for (i = 0; i < _N; i++) {
        y[i] = 0;
        for (j = 0; j < _N; j++)
            y[i] = y[i] + alpha * a[i][j] * x[j];
    }
#pragma endscop
}
