/* An update that the data guard, in place: what is not negative stays. */
#pragma burstc size(n: 200, max 4096)
void relu(int n, float x[n])
{
    for (int i = 0; i < n; i++)
        if (x[i] < 0.0f)
            x[i] = 0.0f;
}
