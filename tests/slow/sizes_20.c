/* 20 loops with a size each. */
#include <stdint.h>

#pragma burstc size(N0: 32, max 1000) size(N1: 32, max 1000) size(N2: 32, max 1000) size(N3: 32, max 1000) size(N4: 32, max 1000) size(N5: 32, max 1000) size(N6: 32, max 1000) size(N7: 32, max 1000) size(N8: 32, max 1000) size(N9: 32, max 1000) \
    size(N10: 32, max 1000) size(N11: 32, max 1000) size(N12: 32, max 1000) size(N13: 32, max 1000) size(N14: 32, max 1000) size(N15: 32, max 1000) size(N16: 32, max 1000) size(N17: 32, max 1000) size(N18: 32, max 1000) size(N19: 32, max 1000)
void sizes_20(int N0, int N1, int N2, int N3, int N4, int N5, int N6, int N7, int N8, int N9, int N10, int N11, int N12, int
              N13, int N14, int N15, int N16, int N17, int N18, int N19, int32_t a0[N0], int32_t a1[N1],
              int32_t a2[N2], int32_t a3[N3], int32_t a4[N4], int32_t a5[N5], int32_t a6[N6], int32_t a7[N7],
              int32_t a8[N8], int32_t a9[N9], int32_t a10[N10], int32_t a11[N11], int32_t a12[N12], int32_t
              a13[N13], int32_t a14[N14], int32_t a15[N15], int32_t a16[N16], int32_t a17[N17], int32_t
              a18[N18], int32_t a19[N19])
{
    for (int i = 0; i < N0; i++)
        a0[i] += 1;
    for (int i = 0; i < N1; i++)
        a1[i] += 2;
    for (int i = 0; i < N2; i++)
        a2[i] += 3;
    for (int i = 0; i < N3; i++)
        a3[i] += 4;
    for (int i = 0; i < N4; i++)
        a4[i] += 5;
    for (int i = 0; i < N5; i++)
        a5[i] += 6;
    for (int i = 0; i < N6; i++)
        a6[i] += 7;
    for (int i = 0; i < N7; i++)
        a7[i] += 8;
    for (int i = 0; i < N8; i++)
        a8[i] += 9;
    for (int i = 0; i < N9; i++)
        a9[i] += 10;
    for (int i = 0; i < N10; i++)
        a10[i] += 11;
    for (int i = 0; i < N11; i++)
        a11[i] += 12;
    for (int i = 0; i < N12; i++)
        a12[i] += 13;
    for (int i = 0; i < N13; i++)
        a13[i] += 14;
    for (int i = 0; i < N14; i++)
        a14[i] += 15;
    for (int i = 0; i < N15; i++)
        a15[i] += 16;
    for (int i = 0; i < N16; i++)
        a16[i] += 17;
    for (int i = 0; i < N17; i++)
        a17[i] += 18;
    for (int i = 0; i < N18; i++)
        a18[i] += 19;
    for (int i = 0; i < N19; i++)
        a19[i] += 20;
}
