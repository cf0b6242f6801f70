/* A network of three layers: helpers that take arrays, one after the other, and local arrays between them. */
#define INPUTS 20
#define HIDDEN 11
#define CLASSES 5

static void dense(int inputs, int outputs, const float *in, const float *weights, const float *bias, float *out)
{
    for (int o = 0; o < outputs; o++) {
        float sum = bias[o];
        for (int i = 0; i < inputs; i++)
            sum += weights[o * inputs + i] * in[i];
        out[o] = sum;
    }
}

static void relu(int n, float *v)
{
    for (int i = 0; i < n; i++)
        if (v[i] < 0.0f)
            v[i] = 0.0f;
}

void perceptron(const float in[INPUTS], const float w1[HIDDEN * INPUTS], const float b1[HIDDEN],
                const float w2[HIDDEN * HIDDEN], const float b2[HIDDEN], const float w3[CLASSES * HIDDEN],
                const float b3[CLASSES], float out[CLASSES])
{
    float first[HIDDEN], second[HIDDEN];
    dense(INPUTS, HIDDEN, in, w1, b1, first);
    relu(HIDDEN, first);
    dense(HIDDEN, HIDDEN, first, w2, b2, second);
    relu(HIDDEN, second);
    dense(HIDDEN, CLASSES, second, w3, b3, out);
}
