/* A transform of 32 complex points in place, by butterflies over halves of what the stage before had halved: a helper
   for every stage. The twiddles are a table of a quarter of a sine, the result is in the order of reversed bits. */
static const float sine[9] = {
    0.0000000f, 0.1950903f, 0.3826834f, 0.5555702f, 0.7071068f,
    0.8314696f, 0.9238795f, 0.9807853f, 1.0000000f,
};

static void stage(float re[32], float im[32], int half)
{
    for (int block = 0; block < 32; block += 2 * half)
        for (int i = 0; i < half; i++) {
            int k = i * (16 / half), even = block + i, odd = even + half;
            float wr = k < 8 ? sine[8 - k] : -sine[k - 8], wi = k < 8 ? -sine[k] : -sine[16 - k];
            float dr = re[even] - re[odd], di = im[even] - im[odd];
            re[even] += re[odd];
            im[even] += im[odd];
            re[odd] = dr * wr - di * wi;
            im[odd] = dr * wi + di * wr;
        }
}

void fft_in_place(float re[32], float im[32])
{
    stage(re, im, 16);
    stage(re, im, 8);
    stage(re, im, 4);
    stage(re, im, 2);
    stage(re, im, 1);
}
