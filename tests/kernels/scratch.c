/* A filter along the rows and then along the columns. Nobody reads the plane between, so it stays on chip. */
#pragma burstc size(N: 24, max 100) size(M: 20, max 100)
#pragma burstc scratch(t)
void scratch(int N, int M, short a[N][M], short t[N][M], short b[N][M])
{
    for (int i = 0; i < N; i++)
        for (int j = 1; j < M - 1; j++)
            t[i][j] = a[i][j - 1] + 2 * a[i][j] + a[i][j + 1];
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < M - 1; j++)
            b[i][j] = t[i - 1][j] + 2 * t[i][j] + t[i + 1][j];
}
