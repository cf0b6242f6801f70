#include <stdint.h>

/* Loops of which a directive says how often they run at most: sorting with a stack, and until nothing is swapped. */
#pragma burstc size(n: 7, min 1, max 7)
void stated_rounds(int n, int16_t a[7], uint8_t b[7], int32_t passes[1])
{
    int8_t stack[14];
    int top = 0;
    stack[top++] = 0;
    stack[top++] = n - 1;
#pragma burstc rounds(2 * n)
    while (top > 0) {
        int high = stack[--top], low = stack[--top];
        if (low >= high)
            continue;
        int16_t pivot = a[high];
        int i = low;
        for (int j = low; j < high; j++)
            if (a[j] < pivot) {
                int16_t t = a[i];
                a[i] = a[j];
                a[j] = t;
                i++;
            }
        a[high] = a[i];
        a[i] = pivot;
        stack[top++] = low;
        stack[top++] = i - 1;
        stack[top++] = i + 1;
        stack[top++] = high;
    }
    int count = 0, swapped;
#pragma burstc rounds(n)
    do {
        swapped = 0;
        for (int i = 0; i + 1 < n; i++)
            if (b[i] > b[i + 1]) {
                uint8_t t = b[i];
                b[i] = b[i + 1];
                b[i + 1] = t;
                swapped = 1;
            }
        count++;
    } while (swapped);
    passes[0] = count;
}
