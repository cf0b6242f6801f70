#pragma burstc size(n: 50, max 512)
typedef struct {
    float re, im;
} complex_float;

/* Products of complex numbers whose halves lie beside each other, the second factor backwards. */
void complex_pairs(int n, const complex_float a[n], const complex_float b[n], complex_float c[n])
{
    for (int i = 0; i < n; i++) {
        c[i].re = a[i].re * b[n - 1 - i].re - a[i].im * b[n - 1 - i].im;
        c[i].im = a[i].re * b[n - 1 - i].im + a[i].im * b[n - 1 - i].re;
    }
}
