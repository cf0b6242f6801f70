// Cells along memory's rows belong to the units in turn; the second nest reads them in any.
#include <stdint.h>
#pragma burstc size(n: 19, max 40)
void units_turned(int n, const int16_t a[n], int16_t b[n], uint8_t c[n])
{
#pragma burstc tile(i:8) units(2)
    for (int i = 0; i < n; i++)
        b[i] = a[i] * 3 + i;
#pragma burstc tile(i:4) units(2)
    for (int i = 0; i < n; i++)
        c[i] = b[n - 1 - i] >> 3;
}
