#include <stdint.h>
#include <string.h>

#define SORT2(a, b) do { if ((a) > (b)) { uint8_t t = (a); (a) = (b); (b) = t; } } while (0)
#define ROTL(a, b) (((a) << (b)) | ((a) >> (32 - (b))))
#define QR(a, b, c, d) (a += b, d ^= a, d = ROTL(d, 16), c += d, b ^= c, b = ROTL(b, 12))

typedef uint8_t state_t[4][4];

static void shift_rows(state_t state)
{
    uint8_t temp;
    temp = state[0][1]; state[0][1] = state[1][1]; state[1][1] = state[2][1]; state[2][1] = state[3][1]; state[3][1] = temp;
    temp = state[0][2]; state[0][2] = state[2][2]; state[2][2] = temp;
    temp = state[1][2]; state[1][2] = state[3][2]; state[3][2] = temp;
}

/* Local arrays whose elements the text names one by one, beside loops over them: a median of five, a round of a cipher, rows of a square
 * that turn, and one that a loop with a step and a condition goes through. */
#pragma burstc size(n: 7, max 40)
void elements(int n, const uint8_t in[n + 4], uint8_t medians[n], const uint32_t key[8], uint32_t words[n][8],
              uint8_t squares[n][16])
{
    for (int y = 0; y < n; y++) {
        uint8_t v[5];
        int k = 0;
        for (int i = 0; i < 5; i++)
            v[k++] = in[y + i];
        SORT2(v[0], v[1]); SORT2(v[3], v[4]); SORT2(v[2], v[4]); SORT2(v[2], v[3]);
        SORT2(v[0], v[3]); SORT2(v[0], v[2]); SORT2(v[1], v[4]); SORT2(v[1], v[3]); SORT2(v[1], v[2]);
        medians[y] = v[2];
    }
    for (int b = 0; b < n; b++) {
        uint32_t x[8];
        memcpy(x, key, sizeof x);
        x[4] += b;
        for (int r = 0; r < 3; r++) {
            QR(x[0], x[2], x[4], x[6]);
            QR(x[1], x[3], x[5], x[7]);
            QR(x[0], x[3], x[4], x[7]);
        }
        for (int i = 0; i < 8; ++i)
            words[b][i] = x[i] + (i == 4 ? b : i > 5 ? key[i - 1] : key[i]);
    }
    for (int b = 0; b < n; b++) {
        state_t st;
        for (int i = 0; i < 16; i++)
            st[i >> 2][i & 3] = in[b] * i + 1;
        for (int round = 0; round < 2; round++) {
            shift_rows(st);
            for (int i = 0; i < 4; i++)
                for (int j = i % 2; j < 4; j += 2)
                    st[i][j] ^= key[round] >> (i + j);
        }
        for (int i = 0; i < 16; i++)
            squares[b][i] = st[i >> 2][i & 3];
    }
}
