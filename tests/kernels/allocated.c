#include <stdint.h>
#include <stdlib.h>

/* Memory of the kernel's own as C programs get it. */
#pragma burstc size(n: 19, max 64)
int allocated(int n, const int16_t in[n], int32_t out[n])
{
    int32_t *twice = malloc(n * sizeof *twice), *none;
    uint8_t *low = (uint8_t *)malloc(n + 1);
    if (twice == NULL || !low)
        return -1;
    none = calloc(2 * n, sizeof(int32_t));
    for (int i = 0; i < n; i++) {
        twice[i] = in[i] * 2;
        low[i + 1] = in[i];
        none[i] += in[n - 1 - i];
    }
    low[0] = 7;
    for (int i = 0; i < n; i++)
        out[i] = twice[n - 1 - i] + low[i] - none[i + n / 2];
    free(twice);
    free(low);
    free(none);
    return 0;
}
