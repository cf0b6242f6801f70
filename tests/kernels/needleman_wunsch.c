#include <stdint.h>

/* An alignment of two texts: scores on a wavefront, and beside each the way by which it was reached. */
#define MATCH 1
#define MISMATCH -1
#define GAP -1
#define MAX(a, b) ((a) > (b) ? (a) : (b))

enum { SKIP_B = '<', SKIP_A = '^', ALIGN = '\\' };

#pragma burstc size(n: 13, max 128) size(m: 17, max 128)
void needleman_wunsch(int n, int m, const char a[n], const char b[m], int score[m + 1][n + 1], char way[m + 1][n + 1])
{
    for (int i = 0; i <= n; i++)
        score[0][i] = i * GAP;
    for (int j = 0; j <= m; j++)
        score[j][0] = j * GAP;
    for (int j = 1; j <= m; j++)
        for (int i = 1; i <= n; i++) {
            int align = score[j - 1][i - 1] + (a[i - 1] == b[j - 1] ? MATCH : MISMATCH);
            int up = score[j - 1][i] + GAP;
            int left = score[j][i - 1] + GAP;
            int most = MAX(align, MAX(up, left));
            score[j][i] = most;
            if (most == left)
                way[j][i] = SKIP_B;
            else if (most == up)
                way[j][i] = SKIP_A;
            else
                way[j][i] = ALIGN;
        }
}
