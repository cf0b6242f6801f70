#include <math.h>

/* Every operator of float and double, with constants, conditions and extrema. */
#pragma burstc size(N: 20, max 64)
void float_arithmetic(int N, float alpha, double beta, float a[N], float b[N], double x[N], float out[N][8],
                      double wide[N][6])
{
    for (int i = 0; i < N; i++) {
        out[i][0] = alpha * a[i] + b[i];
        out[i][1] = -a[i] - b[i] * 0.1f;
        out[i][2] = a[i] / b[i];
        out[i][3] = sqrtf(fabsf(a[i])) + 1e-40f;
        out[i][4] = a[i] < b[i] ? a[i] : b[i];
        out[i][5] = (a[i] >= b[i] && a[i] != 0.0f) || !b[i] ? a[i] - b[i] : b[i] - a[i];
        out[i][6] = a[i] * 1e-38f * b[i];
        out[i][7] = x[i];
        wide[i][0] = beta * x[i] - 3.25;
        wide[i][1] = x[i] / beta + a[i];
        wide[i][2] = sqrt(fabs(x[i]));
        wide[i][3] = x[i] > a[i] ? x[i] : a[i];
        wide[i][4] = (a[i] == b[i]) + (x[i] <= beta);
        wide[i][5] = x[i] * 1e-308 * a[i];
    }
}
