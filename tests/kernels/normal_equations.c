/* The residual's gradient: a row's product is a sum, which all of the row then needs. */
#pragma burstc size(M: 96, max 128) size(N: 100, max 128)
void normal_equations(int M, int N, float a[M][N], float x[N], float gradient[N], float product[M])
{
    for (int j = 0; j < N; j++)
        gradient[j] = 0.0f;
    for (int i = 0; i < M; i++) {
        product[i] = 0.0f;
        for (int j = 0; j < N; j++)
            product[i] = product[i] + a[i][j] * x[j];
        for (int j = 0; j < N; j++)
            gradient[j] = gradient[j] + a[i][j] * product[i];
    }
}
