#include <stdio.h>
#include <stdlib.h>

#define H 6
#define W 5
#pragma burstc extent(weights: H, W)

static float *total;

static void scale(const float *weights, float *rows)
{
    int rounds = 0, last = -1;
    float rest = 1.5f;
#pragma scop
    do {
        rest = rest * 0.5f;
        for (int i = 0; i < H; i++)
            for (int j = 0; j < W; j++)
                if (weights[i * W + j] > rest) {
                    total[i] += weights[i * W + j];
                    last = j;
                }
        rounds++;
    } while (rest > 0.01f && rounds < 9);
#pragma endscop
    rows[0] = rounds + last + rest;
}

/* Memory that the program has from an allocator, and variables that it has set. */
int main(void)
{
    float *weights = malloc(H * W * sizeof(float));
    float rows[2];
    total = calloc(H, sizeof *total);
    for (int i = 0; i < H * W; i++)
        weights[i] = (i * 37 % 11) * 0.125f;
    scale(weights, rows);
    printf("%g %g\n", rows[0], total[2]);
    free(weights);
    return 0;
}
