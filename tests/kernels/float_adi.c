/* Alternating directions: in each of two sweeps, a tridiagonal system per line, forwards with quotients and backwards. */
#pragma burstc size(T: 2, max 8) size(N: 9, max 24)
void float_adi(int T, int N, float u[N][N], float v[N][N], float p[N][N], float q[N][N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++) {
            v[0][i] = 1.0f;
            p[i][0] = 0.0f;
            q[i][0] = v[0][i];
            for (int j = 1; j < N - 1; j++) {
                p[i][j] = 0.25f / (1.5f - 0.25f * p[i][j - 1]);
                q[i][j] = (0.2f * u[j][i - 1] + 0.6f * u[j][i] + 0.2f * u[j][i + 1] + 0.25f * q[i][j - 1])
                          / (1.5f - 0.25f * p[i][j - 1]);
            }
            v[N - 1][i] = 1.0f;
            for (int j = 2; j < N; j++)
                v[N - j][i] = p[i][N - j] * v[N - j + 1][i] + q[i][N - j];
        }
        for (int i = 1; i < N - 1; i++) {
            u[i][0] = 1.0f;
            p[i][0] = 0.0f;
            q[i][0] = u[i][0];
            for (int j = 1; j < N - 1; j++) {
                p[i][j] = 0.2f / (1.4f - 0.2f * p[i][j - 1]);
                q[i][j] = (0.25f * v[i - 1][j] + 0.5f * v[i][j] + 0.25f * v[i + 1][j] + 0.2f * q[i][j - 1])
                          / (1.4f - 0.2f * p[i][j - 1]);
            }
            u[i][N - 1] = 1.0f;
            for (int j = 2; j < N; j++)
                u[i][N - j] = p[i][N - j] * u[i][N - j + 1] + q[i][N - j];
        }
    }
}
