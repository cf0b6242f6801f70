/* Loops that end when nothing is left of numbers that are small, whatever their type: bytes have eight bits. */
#include <stdint.h>
#define N 70
#pragma burstc size(n: 70, min 0, max 70)
void small_numbers(int n, const uint8_t a[N], const uint8_t b[N], int32_t apart[N], uint8_t text[N][3], uint16_t root[N])
{
    for (int i = 0; i < n; i++) {
        unsigned v = a[i] ^ b[i];
        int count = 0;
        while (v) {
            count += v & 1;
            v >>= 1;
        }
        apart[i] = count;
    }
    for (int i = 0; i < n; i++) {
        int v = a[i], digit = 0;
        do {
            text[i][digit++] = '0' + v % 10;
            v /= 10;
        } while (v > 0);
    }
    for (int i = 0; i < n; i++) {
        uint32_t v = a[i] * 77u + b[i];
        while (v > 9)
            v = v / 10 + v % 10;
        root[i] = (uint16_t)v;
    }
}
