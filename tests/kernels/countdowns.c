#include <stdint.h>

/* Packets whose lengths are data, by helpers that move their pointers, called in expressions; loops that `continue` and `break` leave. */
static uint32_t total(const uint8_t *p, int length)
{
    uint32_t sum = 0;
    while (length-- > 0)
        sum += *p++;
    return sum;
}

static uint16_t checksum(const uint8_t *p, int length)
{
    uint32_t sum = total(p, length);
    while (sum >> 8)
        sum = (sum & 0xff) + (sum >> 8);
    return (uint16_t)~sum;
}

void countdowns(int n, const uint8_t data[128], const uint8_t length[8], uint16_t sums[8], int32_t kept[8], int32_t left[8])
{
    for (int k = 0; k < 8; k++) {
        int bytes = length[k] & 15;
        sums[k] = n ^ (checksum(data + 16 * k, bytes) + 1);
        int rest = bytes, at = 16 * k, found = 0;
        while (rest--) {
            if (data[at] == 0)
                break;
            if (data[at++] & 1)
                continue;
            found++;
        }
        kept[k] = found;
        left[k] = rest;
        // Every second or third one.
        for (int i = bytes; i > 0; i -= 2 + (data[i] & 1)) {
            if (data[16 * k + i] < 128) {
                left[k] += 100;
                continue;
            }
            kept[k] += 100 * i;
        }
        int tries = (length[k] >> 4) + 1;
        do {
            at--;
            if (data[at & 127] & 2)
                continue;
            kept[k] ^= tries;
        } while (--tries);
    }
}
