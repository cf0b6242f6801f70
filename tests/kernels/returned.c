#include <stdint.h>

/* A number that the function returns is the only element of an array, its last argument. */
#pragma burstc size(n: 37, max 100)
double returned(int n, const int32_t a[n], double b[n])
{
    double sum = 0.5;
    if (n > 90)
        return -1;
    for (int i = 0; i < n; i++) {
        b[i] += a[i] % 100;
        sum += b[i] * 0.25;
    }
    return sum > 1000 ? 1000 : sum;
}
