// Branches on data, loops that run at least once, bits in subscripts: what C does under conditions that only the data
// decide, hardware does always and keeps or not.
#pragma burstc size(N: 29, max 200)
void branches(int N, int x, const int a[N + 2], int b[N + 2], short c[2 * N + 4], unsigned char kind[N + 2], int out[4])
{
    int best = a[0], at = 0, count = 0;
    for (int i = 0; i < N; i++) {
        if (*(a + i) > best) {
            best = a[i];
            at = i;
        }
        if (a[i] > x && kind[i] & 1)
            count++;
        else if (i > 0 && a[i] < a[i - 1]) {
            int q = a[i] / (kind[i] + 1);
            b[i] = b[i] * 3 - q;
            if (q & 4)
                b[i + 1] ^= q;
        } else
            *(kind + i) = i;
    }
    int i = 0;
    do {
        c[i << 1 | 1] += b[i];
        c[(i & ~1) ^ 2] -= i;
        if ((3 * i) % 4 != 1)
            b[i] += a[i ^ 1];
        i++;
    } while (i < N);
    out[0] = best;
    out[1] = at;
    if (count > 3)
        out[2] = count;
}
