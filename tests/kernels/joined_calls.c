// Calls that commas join, alone and in the sides of an `if`.
static int twice(int v)
{
    if (v > 7)
        v += 3;
    return v * 2;
}

static void set(int *p, int v)
{
    if (v > 3)
        *p = v;
    else
        *p = v + 1;
}

#pragma burstc size(n: 20, max 100)
void joined_calls(int n, int x[n], int y[n])
{
    for (int i = 0; i < n; i++) {
        if (i > 3) x[i] = twice(i), set(&y[i], 3); else set(&x[i], 1), set(&y[i], 4);
        if (x[i] & 1) set(&x[i], twice(y[i])), y[i] += twice(x[i]);
        set(&y[i], x[i]), x[i] = y[i] + 1, set(&x[i], 8);
        for (int j = 0; j < 3; j++) set(&y[i], j), x[i] += y[i];
    }
}
