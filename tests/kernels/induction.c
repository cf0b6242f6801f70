// Variables that change and make subscripts and bounds: steps in bodies, also of loops inside, choices, and counts that
// a loop leaves behind.
#pragma burstc size(N: 21, max 100) size(M: 9, max 100)
void induction(int N, int M, const int a[N], int b[4 * N + M + 8], short c[2 * N + 2])
{
    int k = 0;
    for (int i = 0; i < N; i++) {
        b[k] = a[i];
        for (int j = 0; j < 3; j++) {
            k++;
            b[k] = b[k - 1] * 2 + j;
        }
        k++;
    }
    for (int i = 0; i < M; i++)
        b[k++] = i * 3;
    int lo = 0, hi = N;
    if (N > M) {
        lo = M;
        hi += 1;
    }
    for (int i = lo; i < hi; i++) {
        int at = 2 * i;
        if (i & 1)
            at = i;
        c[at] += b[lo + i];
    }
}
