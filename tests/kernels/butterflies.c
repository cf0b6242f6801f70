// The last stages of a complex transform of 4 m points, numbers as structures that helpers take and give by value.
typedef struct {
    float re, im;
} number;

static number add(number a, number b) { return (number){a.re + b.re, a.im + b.im}; }

static number subtract(number a, number b)
{
    number c = {.im = a.im - b.im, .re = a.re - b.re};
    return c;
}

static number multiply(const number a, const number b)
{
    return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static void butterfly(number *restrict a, number *restrict b, number w)
{
    number product = multiply(*b, w), sum = add(*a, product);
    *b = subtract(*a, product);
    *a = sum;
}

static const number quarters[2] = {{1, 0}, {.im = -1}};

#pragma burstc size(m: 32, max 1024)
void butterflies(int m, number x[4][m], const number twiddles[m])
{
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < 2; k++)
            butterfly(&x[k][i], &x[k + 2][i], twiddles[i]);
        for (int k = 0; k < 2; k++)
            butterfly(&x[2 * k][i], &x[2 * k + 1][i], quarters[k]);
    }
}
