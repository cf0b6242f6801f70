#include <math.h>
#include <stdint.h>

typedef uint8_t state_t[4][4];
typedef int32_t vector_t[5];

static void add_key(state_t *s, const uint8_t *key)
{
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            (*s)[i][j] ^= key[i * 4 + j];
}

static void turn(state_t *state)
{
    uint8_t t = (*state)[0][1];
    (*state)[0][1] = (*state)[1][2];
    (*state)[1][2] = t;
}

static void both(state_t *state, const uint8_t *key)
{
    turn(state);
    add_key(state, key);
    turn(state);
}

static int32_t sum(vector_t *v)
{
    int32_t s = 0;
    for (int i = 0; i < 5; i++)
        s += (*v)[i];
    return s;
}

/* Pointers to arrays, loops that go on where another without a start ended, and what <math.h> and the compiler make of themselves. */
#pragma burstc size(n: 5, max 20)
void pointees(int n, uint8_t blocks[n][16], const uint8_t key[16], int32_t rows[n][5], int32_t sums[n], const float a[32],
              float bounds[2], const uint32_t words[32], uint32_t swapped[32], uint64_t wide[32], int32_t counts[4])
{
    for (int b = 0; b < n; b++) {
        state_t st;
        for (int i = 0; i < 16; i++)
            st[i >> 2][i & 3] = blocks[b][i];
        both(&st, key);
        turn(&st);
        for (int i = 0; i < 16; i++)
            blocks[b][i] = st[i >> 2][i & 3];
        sums[b] = sum(&rows[b]);
    }
    float most = -INFINITY, least = HUGE_VALF;
    int k = 0, even = 0;
    for (; k + 1 < 31; k += 2)
        even += (int)(words[k] & 7) * (int)(words[k + 1] & 7);
    for (; k < 32; k++)
        even -= (int)(words[k] & 15);
    for (; k > 3; k -= 3)
        counts[1] += k;
    counts[0] = even;
    for (int i = 0; i < 32; i++) {
        most = fmaxf(most, a[i]);
        if (a[i] < least)
            least = a[i];
        swapped[i] = __builtin_bswap32(words[i]);
        wide[i] = __builtin_bswap64(words[i] * 0x100000001ull) ^ __builtin_bswap16((uint16_t)words[i]);
        counts[2] += isnan(a[i]) ? 1 : 0;
        counts[3] += isfinite(a[i]) ? 1 : 0;
    }
    bounds[0] = most;
    bounds[1] = least;
}
