/* The lower triangle of c += a * a' on 2 x 4 units, of numbers that round: rows of a are read along both lanes, from one
   buffer in four banks; sums keep the order of the loops. */
#pragma burstc size(N: max 40)
#pragma burstc size(M: max 40)
void lanes_grid_triangle(int N, int M, float a[N][M], float c[N][N])
{
#pragma burstc tile(i:8, j:8, k:8) lanes(i:2, j:4)
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < M; k++)
                c[i][j] += a[i][k] * a[j][k];
}
