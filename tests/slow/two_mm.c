/* 2mm of PolyBench, its bounds constants (SMALL). */
#define NI 40
#define NJ 50
#define NK 70
#define NL 80

void two_mm(float alpha, float beta, float tmp[NI][NJ], float A[NI][NK], float B[NK][NJ], float C[NJ][NL], float D[NI][NL])
{
    int i, j, k;
    for (i = 0; i < NI; i++)
        for (j = 0; j < NJ; j++) {
            tmp[i][j] = 0.0f;
            for (k = 0; k < NK; ++k)
                tmp[i][j] += alpha * A[i][k] * B[k][j];
        }
    for (i = 0; i < NI; i++)
        for (j = 0; j < NL; j++) {
            D[i][j] *= beta;
            for (k = 0; k < NJ; ++k)
                D[i][j] += tmp[i][k] * C[k][j];
        }
}
