/* A matrix times one vector, and its transpose times another, from one pass over it: two sums of which every loop
   carries one. */
#pragma burstc size(N: 40, max 96) size(M: 40, max 96)
void two_products(int N, int M, float a[N][M], float s[M], float q[N], float p[M], float r[N])
{
    for (int j = 0; j < M; j++)
        s[j] = 0;
    for (int i = 0; i < N; i++) {
        q[i] = 0;
        for (int j = 0; j < M; j++) {
            s[j] = s[j] + r[i] * a[i][j];
            q[i] = q[i] + a[i][j] * p[j];
        }
    }
}
