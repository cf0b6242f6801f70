/* Statements that do the same, and statements that never run. */
#pragma burstc size(N: 12, max 64)
void repeated(int N, int a[N], int b[N + 1])
{
    for (int i = 0; i < N; i++) {
        a[i] = 1;
        a[i] = 1;
    }
    for (int i = 0; i < N; i++) {
        b[i] = a[i] + 2;
        if (i > N)
            b[i] = 3;
    }
}
