#include <stdint.h>

/* Places that go round: a delay line, a window, two halves that take turns, and a place that counts down. */
#pragma burstc size(n: 37, max 200)
void rings(int n, const int32_t in[n], int32_t out[n], int32_t slow[n], int32_t back[n], int32_t last[4])
{
    int32_t line[8], window[5], halves[2][16], counts[6];
    int head = 0, place = 3, now = 0, down = 5, other = 1;
    for (int i = 0; i < 8; i++)
        line[i] = 0;
    for (int i = 0; i < 5; i++)
        window[i] = i;
    for (int i = 0; i < 6; i++)
        counts[i] = 0;
    for (int i = 0; i < 16; i++)
        halves[0][i] = i;
    for (int i = 0; i < n; i++) {
        out[i] = line[head] + in[i];
        line[head] = in[i] / 2;
        head = (head + 1) & 7;
    }
    for (int i = 0; i < n; i++) {
        slow[i] = window[place] - in[i];
        window[place] = in[i];
        if (++place == 5)
            place = 0;
    }
    for (int t = 0; t < n; t++) {
        for (int i = 1; i < 16; i++)
            halves[1 - now][i] = halves[now][i - 1] + in[t];
        halves[1 - now][0] = halves[now][15];
        now = 1 - now;
    }
    for (int i = 0; i < n; i++) {
        back[i] = counts[down] + other;
        counts[down] += in[i];
        down = down == 0 ? 5 : down - 1;
        other = (other * 3) % 7;
    }
    last[0] = halves[now][7];
    last[1] = line[head];
    last[2] = window[place];
    last[3] = counts[down];
}
