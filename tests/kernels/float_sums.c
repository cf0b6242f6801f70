/* Sums that must keep their order, over rows and over columns. */
#pragma burstc size(N: 24, max 96) size(M: 24, max 96)
void float_sums(int N, int M, float a[N][M], double x[M], float rows[N], double columns[M], float y[N])
{
    for (int i = 0; i < N; i++) {
        float sum = 0.0f;
        for (int j = 0; j < M; j++)
            sum += a[i][j];
        rows[i] = sum;
        for (int j = 0; j < M; j++) {
            columns[j] += a[i][j] * 1.1;
            y[i] += a[i][j] * x[j];
        }
    }
}
