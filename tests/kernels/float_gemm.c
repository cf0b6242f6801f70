#pragma burstc size(N: 20, max 128)
void float_gemm(int N, float alpha, float a[N][N], float b[N][N], float c[N][N])
{
#pragma burstc tile(i:8, j:16, k:8)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i][j] += alpha * a[i][k] * b[k][j];
}
