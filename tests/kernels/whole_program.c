/* A program as people have it: arrays of the file, initialisation, timing and printing around the marked loops, which read
   and write scalars of the file, one of them printed afterwards. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#define N 20
#ifdef TIME
#define IF_TIME(what) what;
#else
#define IF_TIME(what)
#endif

double a[N][N], b[N][N + 1];
double t_start, t_end;
double trace, last;
static const double weights[3] = {0.25, 0.5, 0.25};
int i, j;
int steps = 3;

void init_array()
{
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            a[i][j] = i * 0.5 + j + sin(i);
}

double rtclock()
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return now.tv_sec + now.tv_usec * 1e-6;
}

static double smooth(double left, double middle, double right)
{
    return weights[0] * left + weights[1] * middle + weights[2] * right;
}

int main(int argc, char **argv)
{
    double scale = argc, unused[N];
    int t;

    init_array();
    IF_TIME(t_start = rtclock());
    last = 0.0;
#pragma scop
    trace = 1.0;
    for (t = 0; t < steps; t++)
        for (i = 1; i < N - 1; i++)
            for (j = 1; j < N - 1; j++)
                if (i + j != N)
                    b[i][j] = smooth(a[i][j - 1], a[i][j], a[i][j + 1]) * scale;
    for (i = 0; i < N; i++)
        trace += b[i][i];
    for (i = 0; i < N; i++)
        if (i > 2)
            last = last + b[i][N];
#pragma endscop
    IF_TIME(t_end = rtclock());

    if (fopen(".test", "r"))
        for (i = 0; i < N; i++)
            fprintf(stderr, "%lf ", b[i][i]);
    printf("%f %f\n", trace, last);
    return 0;
}
