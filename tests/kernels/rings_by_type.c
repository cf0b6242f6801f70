#include <stdint.h>

/* Places in rings of 256 cells whose types come round: no remainder is written. */
#pragma burstc size(N: 100, max 1000)
void rings_by_type(int N, const int32_t x[N], int32_t ring[256], int32_t y[N])
{
    unsigned char head = 250;
    uint8_t back = 0;
    for (int i = 0; i < N; i++) {
        ring[head++] = x[i];
        y[i] = ring[(unsigned char)(head - 3)] - ring[back];
        back -= 3;
    }
}
