#include <stdint.h>

/* The likeliest path through a hidden Markov model, by negative logarithms: what was observed selects a column, and the
   path goes back along data. */
#define STATES 8
#define TOKENS 16

#pragma burstc size(n: 12, min 1, max 64)
void viterbi(int n, const uint8_t observed[n], const float init[STATES], const float transition[STATES][STATES],
             const float emission[STATES][TOKENS], uint8_t path[n])
{
    float cost[64][STATES];

    for (int s = 0; s < STATES; s++)
        cost[0][s] = init[s] + emission[s][observed[0] & (TOKENS - 1)];
    for (int t = 1; t < n; t++)
        for (int to = 0; to < STATES; to++) {
            float least = cost[t - 1][0] + transition[0][to];
            for (int from = 1; from < STATES; from++) {
                float next = cost[t - 1][from] + transition[from][to];
                if (next < least)
                    least = next;
            }
            cost[t][to] = least + emission[to][observed[t] & (TOKENS - 1)];
        }

    int best = 0;
    float least = cost[n - 1][0];
    for (int s = 1; s < STATES; s++)
        if (cost[n - 1][s] < least) {
            least = cost[n - 1][s];
            best = s;
        }
    path[n - 1] = best;
    for (int t = n - 2; t >= 0; t--) {
        int from = 0;
        least = cost[t][0] + transition[0][path[t + 1]];
        for (int s = 1; s < STATES; s++) {
            float next = cost[t][s] + transition[s][path[t + 1]];
            if (next < least) {
                least = next;
                from = s;
            }
        }
        path[t] = from;
    }
}
