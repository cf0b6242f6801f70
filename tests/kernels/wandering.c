#include <stdint.h>

/* Loops that go from element to element and never back: the roots of a forest, a table with open places, a list, a heap. */
#pragma burstc size(n: 12, max 16)
void wandering(int n, const uint8_t a[32], int32_t heap[33], int16_t root[32], uint8_t at[32], int32_t sum[2])
{
    uint8_t parent[32], table[32];
    for (int i = 0; i < 32; i++) {
        parent[i] = i ? a[i] % i : 0;
        table[i] = 0;
    }
    for (int k = 0; k < 32; k++) {
        int x = k;
        while (parent[x] != x)
            x = parent[x];
        root[k] = x;
    }
    // One place at least is left, as there are 16 keys at most.
    for (int k = 0; k < n; k++) {
        int h = a[k] & 31;
        while (table[h] != 0 && table[h] != a[k])
            h = (h + 1) & 31;
        table[h] = a[k];
        at[k] = h;
    }
    int s = 0;
    for (int x = n; x > 0; x = parent[x])
        s = s * 3 + a[x];
    sum[0] = s;
    // A new element moves up, and the largest one is taken out.
    int i = n, v = a[n];
    while (i > 0 && heap[(i - 1) / 2] < v) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = v;
    sum[1] = heap[0];
    v = heap[n];
    for (i = 0;;) {
        int c = 2 * i + 1;
        if (c >= n)
            break;
        if (c + 1 < n && heap[c + 1] > heap[c])
            c++;
        if (heap[c] <= v)
            break;
        heap[i] = heap[c];
        i = c;
    }
    heap[i] = v;
}
