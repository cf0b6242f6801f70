#define N 32

#pragma burstc size(n: 9, max 40)
/* Subscripts that iterators tell and no affine function does, of arrays that are written; unsigned sums that come round. */
void not_affine(int n, int x[N], const int s[n], int y[n], unsigned v[n], const unsigned key[4])
{
    for (unsigned i = 0; i < N; i++) {
        unsigned r = 0, rest = i;
        for (int b = 0; b < 5; b++) {
            r = (r << 1) | (rest & 1);
            rest >>= 1;
        }
        if (r > i) {
            int t = x[i];
            x[i] = x[r];
            x[r] = t;
        }
    }
    int line[16] = {0}, at = 0;
    for (int i = 0; i < n; i++) {
        int sum = 0, p = at;
        line[at] = s[i];
        for (int k = 0; k < 16; k++) {
            sum += (k + 1) * line[p];
            p = p == 0 ? 15 : p - 1;
        }
        y[i] = sum;
        at = (at + 1) % 16;
    }
    for (int i = 0; i < n; i++) {
        unsigned a = v[i], sum = 0;
        for (int r = 0; r < 8; r++) {
            sum += 0x9E3779B9u;
            a += ((a << 4) ^ (a >> 5)) ^ (sum + key[(sum >> 11) & 3]);
        }
        v[i] = a;
    }
}
