/* Two planes in turn, in tiles of two steps: the strips of the next two steps store b again before anyone loads it. */
#pragma burstc size(T: 6, max 16) size(N: 20, max 32)
void dead_planes(int T, int N, short a[N][N], short b[N][N])
{
#pragma burstc schedule(S0[t,i,j] -> (t, j + 2*t, i + 2*t); S1[t,i,j] -> (t, j + 2*t + 1, i + 2*t + 1)) tile(2, 16, 4)
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                b[i][j] = a[i][j - 1] + a[i + 1][j] - a[i - 1][j];
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                a[i][j] = b[i][j] + b[i][j + 1] - b[i - 1][j];
    }
}
