/* Variable-length array parameters and the plain types of C; sizes of other types than int. */
#pragma burstc size(n: 15, max 64) size(m: 11, max 64)
void vla(unsigned n, short m, int a[n][m], unsigned char b[m][n], long long c[n + m])
{
    for (unsigned i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            a[i][j] += b[j][i];
            c[i + j] += a[i][j];
        }
}
