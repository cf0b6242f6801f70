#pragma burstc size(n: 20, min 1, max 64)
#pragma burstc range(p: 0..100)
/* An array that tells how long rows are, and that another statement, which could have lanes, reads as well. */
void rows_beside_lanes(int n, const int p[n + 1], const int v[101], int y[n])
{
#pragma burstc schedule(S0[i] -> (0, i); S1[i, e] -> (e, i); S2[i] -> (100, i)) tile(128, 32) lanes(2)
    for (int i = 0; i < n; i++) {
        unsigned s = 0;
        for (int e = p[i]; e < p[i + 1]; e++)
            s += v[e];
        y[i] = s + (p[i] < p[i + 1] ? p[i + 1] : p[i]);
    }
}
