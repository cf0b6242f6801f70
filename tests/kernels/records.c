// Structures of arrays, local structures of several types, and structures with matrices.
struct columns {
    int key[96], value[96];
};

struct cell {
    short m[2][3];
    unsigned short v[3];
};

#pragma burstc size(n: 64, max 1024)
void records(int n, struct columns *table, struct cell cells[n], int sums[n])
{
    struct best {
        int at;
        short value;
        double weight[2];
    } best = {.value = -32768, .weight = {0.5, 1.5}};
    for (int i = 0; i < 96; i++)
        table->value[i] += 3 * table->key[i];
    for (int i = 0; i < n; i++) {
        struct best next = best;
        for (int k = 0; k < 2; k++) {
            short sum = 0;
            for (int j = 0; j < 3; j++)
                sum += cells[i].m[k][j] * cells[i].v[j];
            cells[i].m[k][0] = sum;
            cells[i].v[k] /= 3;
            cells[i].v[2]--;
            next = (struct best){i, sum, {next.weight[1], next.weight[0]}};
        }
        sums[i] = next.value + (int)(2 * next.weight[0]) + next.at;
    }
}
