// Cases that go on in the next one, whose values step on the way, and constants of the file and of the function.
#include <stdint.h>

static const int16_t weight[8] = {1, -2, 3, -4, 5, -6, 7, -32768};

#pragma burstc size(n: 23, max 100)
void cases_and_tables(int n, const uint8_t a[n], int c[n], int last[2])
{
    static const uint32_t masks[4] = {0xffffffffu, 0x80000000u, 15, 0};
    int k = 0, j = 0;
    for (int i = 0; i < n; i++)
        switch (a[i] & 3) {
        case 0:
            c[i] = a[i] & 4 ? k++ : j++;
            break;
        case 1:
            c[i] = weight[a[i] >> 5] * (a[i] & 4 ? k++ : j++);
        case 2:
            c[i] ^= a[i] & 4 ? k++ : j++;
        default:
            c[i] += (a[i] & 4 ? k-- : j++) + (int)(masks[a[i] >> 6] & (uint32_t)i);
        }
    last[0] = k;
    last[1] = j;
}
