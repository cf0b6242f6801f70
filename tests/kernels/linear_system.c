/* A linear system by LU decomposition and two substitutions, every sum in a scalar: statements of a tile change places. */
#pragma burstc size(N: 14, max 96)
void linear_system(int N, float a[N][N], float b[N], float x[N], float y[N])
{
    float sum;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            sum = a[i][j];
            for (int k = 0; k < j; k++)
                sum -= a[i][k] * a[k][j];
            a[i][j] = sum / a[j][j];
        }
        for (int j = i; j < N; j++) {
            sum = a[i][j];
            for (int k = 0; k < i; k++)
                sum -= a[i][k] * a[k][j];
            a[i][j] = sum;
        }
    }
    for (int i = 0; i < N; i++) {
        sum = b[i];
        for (int j = 0; j < i; j++)
            sum -= a[i][j] * y[j];
        y[i] = sum;
    }
    for (int i = N - 1; i >= 0; i--) {
        sum = y[i];
        for (int j = i + 1; j < N; j++)
            sum -= a[i][j] * x[j];
        x[i] = sum / a[i][i];
    }
}
