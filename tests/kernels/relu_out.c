/* Data decide what is written, of cells that nobody reads: not loaded, but stored by a bit beside each word on chip. */
#pragma burstc size(n: 200, max 4096)
void relu_out(int n, float x[n], float y[n])
{
    for (int i = 0; i < n; i++)
        if (x[i] > 0.0f)
            y[i] = x[i];
}
