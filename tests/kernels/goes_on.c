#pragma burstc size(n: 21, max 40)
/* Counters that go on behind `do` and `while` loops, from one of two values. */
void goes_on(int n, int a[64], int b[4], int c[n])
{
    int i = 0;
    do {
        a[i] = i;
        i += 3;
    } while (i < 64);
    b[0] = i;
    for (; i > 10; i -= 2)
        b[1]++;
    i = 0;
    while (i + 4 <= n) {
        c[i] += i;
        i += 4;
    }
    while (i < n) {
        c[i] -= 7;
        i++;
    }
    i = 2;
    do {
        b[2] += i;
        i++;
    } while (i < n);
    for (; i > 3; i--)
        b[3] ^= i;
}
