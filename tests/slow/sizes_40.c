/* 40 loops with a size each. */
#include <stdint.h>

#pragma burstc size(N0: 32, max 1000) size(N1: 32, max 1000) size(N2: 32, max 1000) size(N3: 32, max 1000) size(N4: 32, max 1000) size(N5: 32, max 1000) size(N6: 32, max 1000) size(N7: 32, max 1000) size(N8: 32, max 1000) size(N9: 32, max 1000) size(N10: 32, max 1000) size(N11: 32, max 1000) size(N12: 32, max 1000) size(N13: 32, max 1000) size(N14: 32, max 1000) size(N15: 32, max 1000) size(N16: 32, max 1000) size(N17: 32, max 1000) size(N18: 32, max 1000) size(N19: 32, max 1000) size(N20: 32, max 1000) size(N21: 32, max 1000) size(N22: 32, max 1000) size(N23: 32, max 1000) size(N24: 32, max 1000) size(N25: 32, max 1000) size(N26: 32, max 1000) size(N27: 32, max 1000) size(N28: 32, max 1000) size(N29: 32, max 1000) size(N30: 32, max 1000) size(N31: 32, max 1000) size(N32: 32, max 1000) size(N33: 32, max 1000) size(N34: 32, max 1000) size(N35: 32, max 1000) size(N36: 32, max 1000) size(N37: 32, max 1000) size(N38: 32, max 1000) size(N39: 32, max 1000)
void sizes_40(int N0, int N1, int N2, int N3, int N4, int N5, int N6, int N7, int N8, int N9, int N10, int N11, int N12, int
              N13, int N14, int N15, int N16, int N17, int N18, int N19, int N20, int N21, int N22, int N23,
              int N24, int N25, int N26, int N27, int N28, int N29, int N30, int N31, int N32, int N33, int
              N34, int N35, int N36, int N37, int N38, int N39, int32_t a0[N0], int32_t a1[N1], int32_t
              a2[N2], int32_t a3[N3], int32_t a4[N4], int32_t a5[N5], int32_t a6[N6], int32_t a7[N7], int32_t
              a8[N8], int32_t a9[N9], int32_t a10[N10], int32_t a11[N11], int32_t a12[N12], int32_t a13[N13],
              int32_t a14[N14], int32_t a15[N15], int32_t a16[N16], int32_t a17[N17], int32_t a18[N18],
              int32_t a19[N19], int32_t a20[N20], int32_t a21[N21], int32_t a22[N22], int32_t a23[N23],
              int32_t a24[N24], int32_t a25[N25], int32_t a26[N26], int32_t a27[N27], int32_t a28[N28],
              int32_t a29[N29], int32_t a30[N30], int32_t a31[N31], int32_t a32[N32], int32_t a33[N33],
              int32_t a34[N34], int32_t a35[N35], int32_t a36[N36], int32_t a37[N37], int32_t a38[N38],
              int32_t a39[N39])
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
    for (int i = 0; i < N20; i++)
        a20[i] += 21;
    for (int i = 0; i < N21; i++)
        a21[i] += 22;
    for (int i = 0; i < N22; i++)
        a22[i] += 23;
    for (int i = 0; i < N23; i++)
        a23[i] += 24;
    for (int i = 0; i < N24; i++)
        a24[i] += 25;
    for (int i = 0; i < N25; i++)
        a25[i] += 26;
    for (int i = 0; i < N26; i++)
        a26[i] += 27;
    for (int i = 0; i < N27; i++)
        a27[i] += 28;
    for (int i = 0; i < N28; i++)
        a28[i] += 29;
    for (int i = 0; i < N29; i++)
        a29[i] += 30;
    for (int i = 0; i < N30; i++)
        a30[i] += 31;
    for (int i = 0; i < N31; i++)
        a31[i] += 32;
    for (int i = 0; i < N32; i++)
        a32[i] += 33;
    for (int i = 0; i < N33; i++)
        a33[i] += 34;
    for (int i = 0; i < N34; i++)
        a34[i] += 35;
    for (int i = 0; i < N35; i++)
        a35[i] += 36;
    for (int i = 0; i < N36; i++)
        a36[i] += 37;
    for (int i = 0; i < N37; i++)
        a37[i] += 38;
    for (int i = 0; i < N38; i++)
        a38[i] += 39;
    for (int i = 0; i < N39; i++)
        a39[i] += 40;
}
