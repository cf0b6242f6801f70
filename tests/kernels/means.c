/* K means: thirteen statements in up to three loops, labels that points look for, sums by label. */
#define N 32
#define K 4

void means(const float p[N][2], float c[K][2], int label[N])
{
    for (int round = 0; round < 3; round++) {
        float sum[K][2] = {{0}};
        int count[K] = {0};
        for (int i = 0; i < N; i++) {
            int best = 0;
            float least = 1e30f;
            for (int k = 0; k < K; k++) {
                float dx = p[i][0] - c[k][0], dy = p[i][1] - c[k][1];
                float d = dx * dx + dy * dy;
                if (d < least) {
                    least = d;
                    best = k;
                }
            }
            label[i] = best;
            count[best]++;
            sum[best][0] += p[i][0];
            sum[best][1] += p[i][1];
        }
        for (int k = 0; k < K; k++)
            if (count[k] > 0) {
                c[k][0] = sum[k][0] / count[k];
                c[k][1] = sum[k][1] / count[k];
            }
    }
}
