// Names that hide others of their function: an argument's, a counter's, an enumerator's.
#include <stdint.h>

#pragma burstc size(n: 20, max 64)
void hidden_names(int n, int m, float b[n], int sum[16])
{
    for (int i = 0; i < n; i++) {
        float m = b[i];
        {
            float b[4];
            for (int i = 0; i < 4; i++)
                b[i] = m * i;
            m = b[3] + b[2];
        }
        b[i] = m;
    }
    for (int i = 0; i < n; i++) {
        enum { m = 5, n };
        struct { int16_t i, n; } p = { .i = m, .n = n };
        sum[i & 15] += p.i * p.n;
    }
    sum[0] += m;
}
