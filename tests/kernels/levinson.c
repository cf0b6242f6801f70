/* A symmetric Toeplitz system, order by order: in every order a sum whose terms wait for one another, and a reflection. */
#pragma burstc size(N: 14, max 128)
void levinson(int N, float r[N], float y[N])
{
    float old[128];
    float error = 1.0f, k = 0.0f;
    for (int m = 0; m < N; m++) {
        error = error * (1.0f - k * k);
        float sum = r[m];
        for (int i = 0; i < m; i++)
            sum += r[m - 1 - i] * y[i];
        k = -sum / error;
        for (int i = 0; i < m; i++)
            old[i] = y[i];
        for (int i = 0; i < m; i++)
            y[i] = old[i] + k * old[m - 1 - i];
        y[m] = k;
    }
}
