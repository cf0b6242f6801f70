#include <stdint.h>

#pragma burstc size(n: 100, max 1000)
/* Two filters in a row, whose samples move through delays: products of the inputs, then sums of the first filter. */
void delays_computed(int n, const int16_t a[n], const int16_t b[n], int32_t out[n])
{
    int32_t early[4] = {0}, late[3] = {5, 6, 7};
    for (int i = 0; i < n; i++) {
        for (int k = 3; k > 0; k--)
            early[k] = early[k - 1];
        early[0] = a[i] * b[i] / 1024;
        late[2] = late[1];
        late[1] = late[0];
        late[0] = early[0] + 2 * early[1] + 2 * early[2] + early[3];
        out[i] = late[0] - late[2];
    }
}
