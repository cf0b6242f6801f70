/* A filter whose second stage follows two columns behind the first: what a tile leaves of each row for the next tile of its strip lies beside the
   row that is under way, in a local array that a lattice of 128 words keeps apart. */
#pragma burstc size(M: 45, max 64) size(N: 21, max 64)
void gauss(int M, int N, int in[N][M], int out[N][M])
{
    int tmp[N][M];
#pragma burstc schedule(S0[i,j] -> (i, j); S1[i,j] -> (i, j + 2)) tile(16, 32)
    for (int i = 1; i < N - 1; i++)
        for (int j = 0; j < M; j++)
            tmp[i][j] = 3 * in[i][j] - in[i - 1][j] - in[i + 1][j];
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < M - 1; j++)
            out[i][j] = 3 * tmp[i][j] - tmp[i][j - 1] - tmp[i][j + 1];
}
