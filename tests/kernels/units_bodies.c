// Sums of floating-point numbers, one after the other, with conditions on data and divisions: eight units have two rows each.
#pragma burstc size(N: 24, max 64)
void units_bodies(int N, const float x[N], const float m[N], float f[N])
{
#pragma burstc tile(i:16, j:32) units(8)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float d = x[j] - x[i];
            if (d > 0.0f)
                f[i] += m[j] / (d * d + 1.0f);
            else
                f[i] -= m[j] / (d * d + 1.0f);
        }
}
