/* Three nests that hand their columns on in local arrays, of which the last few values live (Data Access and Storage Management for Embedded
   Programmable Processors, section 3.3.2). */
#pragma burstc size(N: 13, max 64)
void three_polytopes(int N, int in[N + 1][N + 2], int out[N + 1])
{
    int a[N + 1][N + 2], b[N + 1][N + 2];
    for (int j = 1; j <= N; j++)
        a[0][j] = in[0][j];
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N - i + 1; j++)
            a[i][j] = in[i][j] + a[i - 1][j];
    for (int p = 1; p <= N; p++)
        b[p][1] = 3 * a[N - p + 1][p] + a[N - p][p];
    for (int k = 1; k <= N; k++)
        for (int l = 1; l <= k; l++)
            b[k][l + 1] = 5 * b[k][l] + 1;
    for (int k = 1; k <= N; k++)
        out[k] = b[k][k + 1];
}
