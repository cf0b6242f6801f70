/* Side by side with conversions, and helpers of float. */
static float blend(float x, float y, double weight)
{
    float z = x * weight;
    if (z < y)
        return y;
    z += y;
    return z;
}

#pragma burstc size(N: 40, max 200)
void float_lanes(int N, double weight, float a[N], float b[N], float c[N])
{
#pragma burstc tile(i:16) lanes(4)
    for (int i = 0; i < N; i++)
        c[i] = blend(a[i], b[i], weight);
}
