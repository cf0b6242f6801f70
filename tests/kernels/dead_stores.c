/* Three sweeps over time, of which the tiles hold some steps each: what a strip stores of b, the next one overwrites before
 * anyone loads it. t is scratch: only what strips hand to each other of it goes to memory. */
#pragma burstc size(T: 12, max 40) size(N: 60, max 200)
#pragma burstc scratch(t)
void dead_stores(int T, int N, int a[N], int b[N], int t[N])
{
#pragma burstc schedule(S0[s,i] -> (s, i + 3*s); S1[s,i] -> (s, i + 3*s + 1); S2[s,i] -> (s, i + 3*s + 2)) tile(4, 16)
    for (int s = 0; s < T; s++) {
        for (int i = 1; i < N - 1; i++)
            b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
        for (int i = 1; i < N - 1; i++)
            t[i] = 2 * b[i] - b[i - 1];
        for (int i = 1; i < N - 1; i++)
            a[i] = t[i] - t[i - 1] + b[i + 1];
    }
}
