/* The lower triangle of c += a * a' on 8 x 2 units, and its diagonal, of another statement, on 2: its cells lie along a diagonal of
   the banks that the others have. */
#pragma burstc size(N: max 40)
#pragma burstc size(M: max 40)
void lanes_grid_diagonal(int N, int M, float a[N][M], float c[N][N])
{
#pragma burstc schedule(S0[i,j,k] -> (j, k, i); S1[i,k] -> (0, k, i)) tile(8, 8, 16) lanes(2, 1, 8)
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++)
            for (int k = 0; k < M; k++)
                c[i][j] += a[i][k] * a[j][k];
        for (int k = 0; k < M; k++)
            c[i][i] -= a[i][k] * a[i][k];
    }
}
