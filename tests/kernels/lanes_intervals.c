#include <stdint.h>

/* Costs of intervals from those of shorter ones, from the last row up: lanes along a diagonal of the triangle, whose cells lie in
   rows that are counted from there. */
#pragma burstc size(N: 21, max 40)
void lanes_intervals(int N, int16_t cost[N][N], int8_t weight[N])
{
#pragma burstc schedule(S0[i_step,j] -> (j, i_step); S1[i_step,j,k] -> (j, i_step)) tile(64, 32) lanes(4)
    for (int i = N - 2; i >= 0; i--)
        for (int j = i + 1; j < N; j++) {
            cost[i][j] = cost[i][j - 1] + weight[j];
            for (int k = i; k < j; k++)
                cost[i][j] = cost[i][j] < cost[i][k] + cost[k + 1][j] ? cost[i][j] : cost[i][k] + cost[k + 1][j];
        }
}
