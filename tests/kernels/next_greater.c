#include <stdint.h>

/* How far the next greater element is: a stack of places that wait for one. Then the widest row of ones, ended by a flag. */
#pragma burstc size(n: 30, max 100)
void next_greater(int n, const int16_t a[n], int32_t far[n], int32_t found[1])
{
    int32_t stack[100];
    int top = 0;
    for (int i = 0; i < n; i++)
        far[i] = 0;
    for (int i = 0; i < n; i++) {
        while (top > 0 && a[stack[top - 1]] < a[i]) {
            top--;
            far[stack[top]] = i - stack[top];
        }
        stack[top++] = i;
    }
    int done = 0;
    int k = 0;
    while (!done && k < n) {
        if (a[k] == 3)
            done = 1;
        else
            k++;
    }
    found[0] = k;
}
