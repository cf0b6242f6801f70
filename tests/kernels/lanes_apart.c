#include <stdint.h>

#pragma burstc size(n: 40, max 256)
/* Lanes whose cells are two, three and four elements apart, some of them backwards. */
void lanes_apart(int n, const int16_t two[2 * n], const int16_t three[3 * n + 1], int32_t four[4 * n])
{
#pragma burstc tile(i:32) lanes(8)
    for (int i = 0; i < n; i++)
        four[4 * i + 1] += two[2 * i] * two[2 * (n - 1 - i) + 1] - three[3 * i + 1] + three[3 * (n - i)];
}
