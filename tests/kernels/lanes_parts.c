/* Two products of a matrix and a vector behind an update of the matrix: 4 lanes and 8 along x and w, which have 8 banks each. What 4 lanes
 * update is a part of the banks' words, and waits for that part alone. */
#pragma burstc size(N: 48, max 64)
void lanes_parts(int N, float alpha, float beta, float a[N][N], float u[N], float v[N], float x[N], float y[N], float w[N])
{
#pragma burstc schedule(S0[i,j] -> (j); S1[i,j] -> (i); S2[i] -> (i); S3[i,j] -> (j)) tile(32) lanes(4, 8)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = a[i][j] + u[i] * v[j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            x[i] = x[i] + beta * a[j][i] * y[j];
    for (int i = 0; i < N; i++)
        x[i] = x[i] + u[i];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            w[i] = w[i] + alpha * a[i][j] * x[j];
}
