/* The same temporaries declared before the loops, as decompilers and generators write them. */
#include <stdint.h>

#pragma burstc size(N: 16, max 512) size(M: 16, max 512)
void temporaries_outside(int N, int M, const int32_t A[N][M], int32_t s[M], int32_t q[N], const int32_t p[M], const int32_t r[N])
{
    int i, j;
    int32_t v0, v1, v2, v3, v4, v5, v6, v7, v8;
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) {
            v0 = s[j];
            v1 = r[i];
            v2 = A[i][j];
            v3 = v1 * v2;
            v4 = v0 + v3;
            s[j] = v4;
            v5 = q[i];
            v6 = p[j];
            v7 = v2 * v6;
            v8 = v5 + v7;
            q[i] = v8;
        }
}
