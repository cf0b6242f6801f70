/* A filter of second order along rows, then one along columns into the same array: in either the next state is copies of
   the last, which run in one cycle with the sum. */
#pragma burstc size(N: 48, max 192) size(M: 40, max 128)
void two_filters(int N, int M, float x[N][M], float z[N][M], float y[N][M], float a, float b, float c, float d)
{
    float x1, y1, y2;
    for (int i = 0; i < N; i++) {
        y1 = 0;
        y2 = 0;
        x1 = 0;
        for (int j = 0; j < M; j++) {
            y[i][j] = a * x[i][j] + b * x1 + c * y1 + d * y2;
            x1 = x[i][j];
            y2 = y1;
            y1 = y[i][j];
        }
    }
    float z1;
    for (int j = 0; j < M; j++) {
        z1 = 0;
        y1 = 0;
        y2 = 0;
        for (int i = 0; i < N; i++) {
            y[i][j] = a * z[i][j] + b * z1 + c * y1 + d * y2;
            z1 = z[i][j];
            y2 = y1;
            y1 = y[i][j];
        }
    }
}
