#include <stdio.h>

/* Helpers that use arrays and scalars of the file, and change them, also through one another. */
#define N 23
int source[N], sums[N], gain = 3, calls;
static long total;
static const short weights[4] = {3, -1, 4, 1};

static int scaled(int);
static void put(int place, int), twice();
void twice();

static int scaled(int value) { return value * gain; }

static void put(int place, int value)
{
    if (value == 7)
        return;
    sums[place] += value * weights[place & 3] + scaled(place);
    total += value;
}

static void twice(void)
{
    for (int i = 0; i < N; i++) {
        int total_of_this = source[i];
        put(i, total_of_this);
        put(N - 1 - i, sums[i] & 255);
        calls = calls + 2;
    }
}

int main(int argc, char **argv)
{
    for (int i = 0; i < N; i++)
        source[i] = i * i;
    gain = argc + 1;
#pragma scop
    total = 1;
    for (int k = 0; k < 3; k++)
        twice();
    for (int i = 0; i < N; i++) source[i] = scaled(sums[i]);
#pragma endscop
    printf("%ld %d %d\n", total, calls, source[2]);
    return 0;
}
