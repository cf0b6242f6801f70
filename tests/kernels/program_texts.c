#include <stdint.h>
#include <stdio.h>

#define N 20

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static uint8_t in[N * 3];
static char out[N * 4 + 1];
static int16_t scaled[N];
int gain = 3;
static int offset;
int limit = 200;

static int clip(int v)
{
    return v > limit ? limit : v + offset;
}

static int scale(int v)
{
    return clip((v * gain) >> 2);
}

/* Texts of the file as tables, and variables of the file that helpers read alone. */
int main(void)
{
    for (int i = 0; i < N * 3; i++)
        in[i] = i * i * 7 + 3;
    offset = 7;
#pragma scop
    for (int i = 0; i < N; i++) {
        uint32_t v = (uint32_t)in[3 * i] << 16 | (uint32_t)in[3 * i + 1] << 8 | in[3 * i + 2];
        out[4 * i] = letters[v >> 18 & 63];
        out[4 * i + 1] = letters[v >> 12 & 63];
        out[4 * i + 2] = letters[v >> 6 & 63];
        out[4 * i + 3] = letters[v & 63];
        scaled[i] = scale(in[i]);
    }
    out[4 * N] = '\0';
#pragma endscop
    printf("%s %d\n", out, scaled[3]);
    return 0;
}
