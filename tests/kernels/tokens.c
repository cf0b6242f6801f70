#include <stdint.h>

/* Text that loops in a loop go through: numbers and words up to its end, and the lengths of its lines. */
#pragma burstc size(n: 24, max 24)
void tokens(int n, const uint8_t a[n], int32_t token[24], int16_t line[25], int32_t count[2])
{
    static const char letters[8] = " 12a\nb 7";
    char s[25];
    for (int i = 0; i < 25; i++)
        s[i] = i < n ? letters[a[i] & 7] : 0;
    int found = 0, i = 0;
    while (1) {
        while (s[i] == ' ' || s[i] == '\n')
            i++;
        if (!s[i])
            break;
        if (s[i] >= '0' && s[i] <= '9') {
            int v = 0;
            while (s[i] >= '0' && s[i] <= '9') {
                v = v * 10 + (s[i] - '0');
                i++;
            }
            token[found++] = v;
        } else {
            int from = i;
            for (; s[i] >= 'a'; i++)
                ;
            token[found++] = from - i;
        }
    }
    count[0] = found;
    found = 0;
    i = 0;
    for (;;) {
        int length = 0;
        do {
            length++;
        } while (s[i] && s[i++] != '\n');
        line[found++] = length;
        if (!s[i])
            break;
    }
    count[1] = found;
}
