#include <stdint.h>

/* Statements that take turns in nests of their own, with operators of one kind in different stages: sums and products
   of float and double, products of integers, divisions by data, conversions. */
#pragma burstc size(N: 20, max 64)
void shared_operators(int N, float alpha, int32_t k, float a[N], float b[N], double c[N], int32_t p[N], int32_t q[N])
{
    for (int i = 0; i < N; i++)
        a[i] = a[i] * b[i] + alpha * b[i] * a[N - 1 - i];
    for (int i = 0; i < N; i++)
        b[i] = (a[i] + b[i]) * 0.75f;
    for (int i = 0; i < N; i++)
        c[i] = c[i] * a[i] - p[i];
    for (int i = 0; i < N; i++)
        c[i] = (c[i] + q[i]) * (c[i] - p[i]);
    for (int i = 0; i < N; i++)
        p[i] = p[i] * q[i] + k * q[N - 1 - i];
    for (int i = 0; i < N; i++)
        q[i] = (p[i] - q[i]) * q[i];
    for (int i = 0; i < N; i++)
        p[i] = p[i] / (q[i] | 1);
    for (int i = 0; i < N; i++)
        q[i] = p[i] * q[i] % (p[i] | 1);
    for (int i = 0; i < N; i++)
        a[i] = b[i] - a[i] / (b[i] - alpha);
    for (int i = 0; i < N; i++)
        b[i] = a[i] / b[i];
}
