/* Deviations from columns' means, their products summed, and the sums copied across the diagonal without an operator between. */
#pragma burstc size(N: 20, max 100) size(M: 20, max 80)
void mirrored(int N, int M, float data[N][M], float sums[M][M], float mean[M])
{
    for (int j = 0; j < M; j++) {
        mean[j] = 0.0f;
        for (int i = 0; i < N; i++)
            mean[j] += data[i][j];
        mean[j] /= 8.0f;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            data[i][j] -= mean[j];
    for (int i = 0; i < M; i++)
        for (int j = i; j < M; j++) {
            sums[i][j] = 0.0f;
            for (int k = 0; k < N; k++)
                sums[i][j] += data[k][i] * data[k][j];
            sums[i][j] /= 7.0f;
            sums[j][i] = sums[i][j];
        }
}
