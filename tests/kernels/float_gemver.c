/* Rank-two update, then two products with what it left: four nests in sequence, nine arrays. */
#pragma burstc size(N: 20, max 48)
void float_gemver(int N, float alpha, float beta, float a[N][N], float u1[N], float v1[N], float u2[N], float v2[N],
                  float w[N], float x[N], float y[N], float z[N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = a[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            x[i] = x[i] + beta * a[j][i] * y[j];
    for (int i = 0; i < N; i++)
        x[i] = x[i] + z[i];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            w[i] = w[i] + alpha * a[i][j] * x[j];
}
