#include <stdint.h>

/* What counts changes in more places than one: in the body as in the head, and several at its end. */
#pragma burstc size(n: 17, max 100)
void body_steps(int n, const int32_t a[3 * n + 3], int32_t pairs[n + 1], int32_t thirds[3 * n], int32_t copies[n])
{
    int x = 0, k = 2;
    while (x < n) {
        copies[x] = a[k];
        x++, k += 3;
    }
    for (int i = 0; i < n; i++) {
        pairs[i] = a[i];
        i++;
        pairs[i] = a[i] * 2;
    }
    for (int i = 0, j = 0; i < n; i++, j++) {
        thirds[j] = a[i];
        j++;
        for (int l = 0; l < 1; l++)
            thirds[j++] = a[i] + 1;
        thirds[j] += i;
    }
}
