// A sparse product as older C has it: all temporaries stand in front of the loops, and one has a first value that nobody reads.
#include <stdint.h>

#pragma burstc size(n: 30, max 256)
#pragma burstc size(nonzeros: 150, max 2048)
void row_temporaries(int n, int nonzeros, float val[nonzeros], int32_t cols[nonzeros], int32_t rows[n + 1], float x[n],
                     float y[n], int32_t kept[n])
{
    int i, j, begin, end, twice;
    float sum, product;
    for (i = 0; i < n; i++) {
        sum = 0;
        product = 0;
        begin = rows[i];
        end = rows[i + 1];
        for (j = begin; j < end; j++) {
            product = val[j] * x[cols[j]];
            sum = sum + product;
        }
        y[i] = sum;
    }
    for (i = 0; i < n; i++) {
        if (kept[i] > 3) {
            twice = kept[i] * 2;
            kept[i] = twice - i;
        }
    }
}
