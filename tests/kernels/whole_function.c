/* Globals, labels, old empty brackets, an outer loop around the region, and values that come in and go out. */
typedef unsigned char pixel;

struct timer { long start, stop; };
extern struct timer clock_now(void);

int count = 24;
pixel in[24], out[24];
static int total, phase;
int history[4][24];

void report();

#pragma burstc size(t: 2, max 3)
int process()
{
    int i, k, t, carry = 1;
    struct timer timer = clock_now();
    for (t = 0; t < 4; t++) {
        report();
#pragma scop
        __pencil_assume(t < 4);
        columns: for (i = 0, k = 23; i < count; i++, k--) {
            carry = carry * 3 + in[i];
            out[k] = in[i] + phase;
            history[t][i] = carry;
        }
        total += carry;
        if (t > 0)
            total += phase;
#pragma endscop
    }
    return total;
}
