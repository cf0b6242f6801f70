/* A matrix changed by two outer products and read twice after, by columns and by rows: all words of it go in and out, while
   every iteration reads or writes it. */
#pragma burstc size(N: 96, max 128)
void rank_two(int N, float g, float h, float m[N][N], float p[N], float q[N], float r[N], float s[N], float left[N],
              float right[N], float c[N], float d[N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m[i][j] = m[i][j] + p[i] * q[j] + r[i] * s[j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            left[i] = left[i] + h * m[j][i] * c[j];
    for (int i = 0; i < N; i++)
        left[i] = left[i] + d[i];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            right[i] = right[i] + g * m[i][j] * left[j];
}
