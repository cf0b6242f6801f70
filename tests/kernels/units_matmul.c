// Four compute processes share every tile: each has the rows i of c and of a that are its own, and all of b.
#pragma burstc size(N: 24, max 64)
void units_matmul(int N, const int a[N][N], const int b[N][N], int c[N][N])
{
#pragma burstc tile(i:8, j:8, k:8) units(i:4)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i][j] += a[i][k] * b[k][j];
}
