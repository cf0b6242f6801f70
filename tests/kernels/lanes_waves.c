/* A plane updated in place over time: lanes run along waves, and access its cells along a diagonal. */
#pragma burstc size(T: 5, max 16) size(N: 19, max 40)
void lanes_waves(int T, int N, float a[N][N])
{
#pragma burstc schedule(S0[t,i,j] -> (t, i + t, i + j + 2*t)) tile(8, 16, 16) lanes(8)
    for (int t = 0; t < T; t++)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1]
                           + a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) * 0.125f;
}
