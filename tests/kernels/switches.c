#include <stdbool.h>
#include <stdint.h>

/* Choices between blocks: cases that run into each other, defaults anywhere, jumps out of them, enumerations, a flag. */
enum operation { ADD, SUBTRACT, MULTIPLY = 5, NEGATE };
typedef enum { LOW = -1, MIDDLE, HIGH } level;

static int apply(enum operation operation, int x, int y)
{
    switch (operation) {
    case ADD: return x + y;
    case SUBTRACT: return x - y;
    case MULTIPLY: return x * y;
    default: return -x;
    }
}

#pragma burstc size(n: 37, max 39)
void switches(int n, bool flag, const int32_t x[40], const uint8_t codes[40], int32_t applied[40], int32_t steps[40],
              level levels[40], int32_t jumps[40])
{
    for (int i = 0; i < n; i++)
        applied[i] = apply((enum operation)(codes[i] & 7), x[i], applied[i]);
    for (int i = 0; i < n + flag; i++) {
        level found = x[i] < -100000 ? LOW : x[i] > 100000 ? HIGH : MIDDLE;
        levels[i] = found;
        int r = 0;
        switch ((unsigned)x[i] >> 30) {
        default: r++;
        case 2: r += 3;
        case 1: r *= 5; break;
        case 0: ;
        }
        switch (i % 3) {
        case 0:
            switch (x[i] & 1) {
            case 1: r += 10; break;
            default: r += 20;
            }
            break;
        case 1: {
            int twice = 2 * r;
            r = twice;
            break;
        }
        }
        steps[i] = r;
    }
    for (int i = 0; i < n; i++) {
        switch ((int8_t)codes[i]) {
        case 'a': continue;
        case -1: jumps[i] = 4; break;
        case 200: jumps[i] = 9; break;
        case 3:
            if (x[i] > 5)
                break;
            jumps[i] = 1;
            break;
        case 0x7f: jumps[i] += 3; continue;
        }
        if (x[i] < 0) {
            jumps[i] += 2;
            continue;
        } else if (x[i] < 1000000)
            jumps[i] += 1;
        else if (x[i] & 1) {
            jumps[i] -= 1;
            continue;
        } else
            jumps[i] ^= x[i];
        jumps[i] *= 3;
    }
}
