/* Products and quotients by powers of two, which no multiplier makes: in either format, upwards and downwards, with both signs, and
   beside them factors that are none, or too far away. */
#pragma burstc size(N: 40, max 100)
void float_scales(int N, const float a[N], const double b[N], float c[N], double d[N], float e[N], float f[N])
{
    for (int i = 0; i < N; i++) {
        c[i] = 2.0f * a[i] - a[i] * 0.125f + a[i] / -4.0f;
        d[i] = b[i] / 65536.0 + -8.0 * b[i] + a[i] * 0.5;
        e[i] = a[i] / 131072.0f + a[i] * 1.0f + a[i] * 16.0f + a[i] * 3.0f;
    }
    for (int i = 1; i < N; i++)
        f[i] = f[i - 1] * 0.5f + a[i];
}
