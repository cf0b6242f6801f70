/* Helpers that take arrays, rows and places in arrays, with several results and with a value. */
#define N 18

int image[N][N], weights[3][3], out[N][N], row_sum[N], row_max[N];
float x[N], y[N];
int low, high;

static int dot(const int *a, const int *b, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void convolve(int n, int from[][N], int w[3][3], int *to, int i)
{
    int j, di;
    for (j = 1; j < n - 1; j++) {
        int sum = 0, more;
        for (di = 0; di < 3; di++) {
            more = dot(&from[i + di - 1][j - 1], w[di], 3);
            sum += more;
        }
        to[j] = sum;
    }
}

void statistics(int *row, int n, int *sum, int *largest)
{
    int i;
    *sum = 0;
    *largest = row[0];
    for (i = 0; i < n; i++) {
        *sum += row[i];
        if (row[i] > *largest)
            *largest = row[i];
    }
    return;
}

static void twice(float *v, float by)
{
    for (int i = 0; i < N; i++)
        *(v + i) = v[i] * by + 1.0f;
}

int main()
{
    int i, j;
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            image[i][j] = i * j;
#pragma scop
    for (i = 1; i < N - 1; i++)
        convolve(N, image, weights, out[i], i);
    for (i = 0; i < N; i++)
        statistics(out[i], N, &row_sum[i], row_max + i);
    statistics(row_sum, N, &low, &high);
    twice(x, 2.5);
    twice(y, x[3]);
#pragma endscop
    return low + high;
}
