/* Names that several scopes have: what data do to one variable is nothing to another one of its name, before or behind it. */
#include <stdint.h>
#define N 12
void scoped_names(int32_t a[N], int32_t x[N], int32_t b[N])
{
    for (int i = 0; i < N - 1; i++)
        for (int j = 0; j < N - 1 - i; j++)
            if (a[j] > a[j + 1]) {
                int32_t t = a[j];
                a[j] = a[j + 1];
                a[j + 1] = t;
            }
    int i = 0, j = N / 2, n = 0;
    while (i < N / 2 && j < N) {
        if (x[i] <= x[j])
            b[n++] = x[i++];
        else
            b[n++] = x[j++];
    }
    while (i < N / 2)
        b[n++] = x[i++];
    while (j < N)
        b[n++] = x[j++];
    for (int k = 0; k < N; k++) {
        int n = b[k] & 3;
        for (int j = 0; j < N - 1; j++)
            if (j == n)
                x[j + 1] += k;
    }
}
