/* 200 conditions on data of which one holds. */
#include <stdint.h>

#pragma burstc size(N: 64, max 4096)
void else_ifs_200(int N, const int32_t a[N], int32_t b[N])
{
    for (int i = 0; i < N; i++) {
        if (a[i] == 0)
            b[i] = 0;
        else if (a[i] == 3)
            b[i] = 1;
        else if (a[i] == 6)
            b[i] = 2;
        else if (a[i] == 9)
            b[i] = 3;
        else if (a[i] == 12)
            b[i] = 4;
        else if (a[i] == 15)
            b[i] = 5;
        else if (a[i] == 18)
            b[i] = 6;
        else if (a[i] == 21)
            b[i] = 7;
        else if (a[i] == 24)
            b[i] = 8;
        else if (a[i] == 27)
            b[i] = 9;
        else if (a[i] == 30)
            b[i] = 10;
        else if (a[i] == 33)
            b[i] = 11;
        else if (a[i] == 36)
            b[i] = 12;
        else if (a[i] == 39)
            b[i] = 13;
        else if (a[i] == 42)
            b[i] = 14;
        else if (a[i] == 45)
            b[i] = 15;
        else if (a[i] == 48)
            b[i] = 16;
        else if (a[i] == 51)
            b[i] = 17;
        else if (a[i] == 54)
            b[i] = 18;
        else if (a[i] == 57)
            b[i] = 19;
        else if (a[i] == 60)
            b[i] = 20;
        else if (a[i] == 63)
            b[i] = 21;
        else if (a[i] == 66)
            b[i] = 22;
        else if (a[i] == 69)
            b[i] = 23;
        else if (a[i] == 72)
            b[i] = 24;
        else if (a[i] == 75)
            b[i] = 25;
        else if (a[i] == 78)
            b[i] = 26;
        else if (a[i] == 81)
            b[i] = 27;
        else if (a[i] == 84)
            b[i] = 28;
        else if (a[i] == 87)
            b[i] = 29;
        else if (a[i] == 90)
            b[i] = 30;
        else if (a[i] == 93)
            b[i] = 31;
        else if (a[i] == 96)
            b[i] = 32;
        else if (a[i] == 99)
            b[i] = 33;
        else if (a[i] == 102)
            b[i] = 34;
        else if (a[i] == 105)
            b[i] = 35;
        else if (a[i] == 108)
            b[i] = 36;
        else if (a[i] == 111)
            b[i] = 37;
        else if (a[i] == 114)
            b[i] = 38;
        else if (a[i] == 117)
            b[i] = 39;
        else if (a[i] == 120)
            b[i] = 40;
        else if (a[i] == 123)
            b[i] = 41;
        else if (a[i] == 126)
            b[i] = 42;
        else if (a[i] == 129)
            b[i] = 43;
        else if (a[i] == 132)
            b[i] = 44;
        else if (a[i] == 135)
            b[i] = 45;
        else if (a[i] == 138)
            b[i] = 46;
        else if (a[i] == 141)
            b[i] = 47;
        else if (a[i] == 144)
            b[i] = 48;
        else if (a[i] == 147)
            b[i] = 49;
        else if (a[i] == 150)
            b[i] = 50;
        else if (a[i] == 153)
            b[i] = 51;
        else if (a[i] == 156)
            b[i] = 52;
        else if (a[i] == 159)
            b[i] = 53;
        else if (a[i] == 162)
            b[i] = 54;
        else if (a[i] == 165)
            b[i] = 55;
        else if (a[i] == 168)
            b[i] = 56;
        else if (a[i] == 171)
            b[i] = 57;
        else if (a[i] == 174)
            b[i] = 58;
        else if (a[i] == 177)
            b[i] = 59;
        else if (a[i] == 180)
            b[i] = 60;
        else if (a[i] == 183)
            b[i] = 61;
        else if (a[i] == 186)
            b[i] = 62;
        else if (a[i] == 189)
            b[i] = 63;
        else if (a[i] == 192)
            b[i] = 64;
        else if (a[i] == 195)
            b[i] = 65;
        else if (a[i] == 198)
            b[i] = 66;
        else if (a[i] == 201)
            b[i] = 67;
        else if (a[i] == 204)
            b[i] = 68;
        else if (a[i] == 207)
            b[i] = 69;
        else if (a[i] == 210)
            b[i] = 70;
        else if (a[i] == 213)
            b[i] = 71;
        else if (a[i] == 216)
            b[i] = 72;
        else if (a[i] == 219)
            b[i] = 73;
        else if (a[i] == 222)
            b[i] = 74;
        else if (a[i] == 225)
            b[i] = 75;
        else if (a[i] == 228)
            b[i] = 76;
        else if (a[i] == 231)
            b[i] = 77;
        else if (a[i] == 234)
            b[i] = 78;
        else if (a[i] == 237)
            b[i] = 79;
        else if (a[i] == 240)
            b[i] = 80;
        else if (a[i] == 243)
            b[i] = 81;
        else if (a[i] == 246)
            b[i] = 82;
        else if (a[i] == 249)
            b[i] = 83;
        else if (a[i] == 252)
            b[i] = 84;
        else if (a[i] == 255)
            b[i] = 85;
        else if (a[i] == 258)
            b[i] = 86;
        else if (a[i] == 261)
            b[i] = 87;
        else if (a[i] == 264)
            b[i] = 88;
        else if (a[i] == 267)
            b[i] = 89;
        else if (a[i] == 270)
            b[i] = 90;
        else if (a[i] == 273)
            b[i] = 91;
        else if (a[i] == 276)
            b[i] = 92;
        else if (a[i] == 279)
            b[i] = 93;
        else if (a[i] == 282)
            b[i] = 94;
        else if (a[i] == 285)
            b[i] = 95;
        else if (a[i] == 288)
            b[i] = 96;
        else if (a[i] == 291)
            b[i] = 97;
        else if (a[i] == 294)
            b[i] = 98;
        else if (a[i] == 297)
            b[i] = 99;
        else if (a[i] == 300)
            b[i] = 100;
        else if (a[i] == 303)
            b[i] = 101;
        else if (a[i] == 306)
            b[i] = 102;
        else if (a[i] == 309)
            b[i] = 103;
        else if (a[i] == 312)
            b[i] = 104;
        else if (a[i] == 315)
            b[i] = 105;
        else if (a[i] == 318)
            b[i] = 106;
        else if (a[i] == 321)
            b[i] = 107;
        else if (a[i] == 324)
            b[i] = 108;
        else if (a[i] == 327)
            b[i] = 109;
        else if (a[i] == 330)
            b[i] = 110;
        else if (a[i] == 333)
            b[i] = 111;
        else if (a[i] == 336)
            b[i] = 112;
        else if (a[i] == 339)
            b[i] = 113;
        else if (a[i] == 342)
            b[i] = 114;
        else if (a[i] == 345)
            b[i] = 115;
        else if (a[i] == 348)
            b[i] = 116;
        else if (a[i] == 351)
            b[i] = 117;
        else if (a[i] == 354)
            b[i] = 118;
        else if (a[i] == 357)
            b[i] = 119;
        else if (a[i] == 360)
            b[i] = 120;
        else if (a[i] == 363)
            b[i] = 121;
        else if (a[i] == 366)
            b[i] = 122;
        else if (a[i] == 369)
            b[i] = 123;
        else if (a[i] == 372)
            b[i] = 124;
        else if (a[i] == 375)
            b[i] = 125;
        else if (a[i] == 378)
            b[i] = 126;
        else if (a[i] == 381)
            b[i] = 127;
        else if (a[i] == 384)
            b[i] = 128;
        else if (a[i] == 387)
            b[i] = 129;
        else if (a[i] == 390)
            b[i] = 130;
        else if (a[i] == 393)
            b[i] = 131;
        else if (a[i] == 396)
            b[i] = 132;
        else if (a[i] == 399)
            b[i] = 133;
        else if (a[i] == 402)
            b[i] = 134;
        else if (a[i] == 405)
            b[i] = 135;
        else if (a[i] == 408)
            b[i] = 136;
        else if (a[i] == 411)
            b[i] = 137;
        else if (a[i] == 414)
            b[i] = 138;
        else if (a[i] == 417)
            b[i] = 139;
        else if (a[i] == 420)
            b[i] = 140;
        else if (a[i] == 423)
            b[i] = 141;
        else if (a[i] == 426)
            b[i] = 142;
        else if (a[i] == 429)
            b[i] = 143;
        else if (a[i] == 432)
            b[i] = 144;
        else if (a[i] == 435)
            b[i] = 145;
        else if (a[i] == 438)
            b[i] = 146;
        else if (a[i] == 441)
            b[i] = 147;
        else if (a[i] == 444)
            b[i] = 148;
        else if (a[i] == 447)
            b[i] = 149;
        else if (a[i] == 450)
            b[i] = 150;
        else if (a[i] == 453)
            b[i] = 151;
        else if (a[i] == 456)
            b[i] = 152;
        else if (a[i] == 459)
            b[i] = 153;
        else if (a[i] == 462)
            b[i] = 154;
        else if (a[i] == 465)
            b[i] = 155;
        else if (a[i] == 468)
            b[i] = 156;
        else if (a[i] == 471)
            b[i] = 157;
        else if (a[i] == 474)
            b[i] = 158;
        else if (a[i] == 477)
            b[i] = 159;
        else if (a[i] == 480)
            b[i] = 160;
        else if (a[i] == 483)
            b[i] = 161;
        else if (a[i] == 486)
            b[i] = 162;
        else if (a[i] == 489)
            b[i] = 163;
        else if (a[i] == 492)
            b[i] = 164;
        else if (a[i] == 495)
            b[i] = 165;
        else if (a[i] == 498)
            b[i] = 166;
        else if (a[i] == 501)
            b[i] = 167;
        else if (a[i] == 504)
            b[i] = 168;
        else if (a[i] == 507)
            b[i] = 169;
        else if (a[i] == 510)
            b[i] = 170;
        else if (a[i] == 513)
            b[i] = 171;
        else if (a[i] == 516)
            b[i] = 172;
        else if (a[i] == 519)
            b[i] = 173;
        else if (a[i] == 522)
            b[i] = 174;
        else if (a[i] == 525)
            b[i] = 175;
        else if (a[i] == 528)
            b[i] = 176;
        else if (a[i] == 531)
            b[i] = 177;
        else if (a[i] == 534)
            b[i] = 178;
        else if (a[i] == 537)
            b[i] = 179;
        else if (a[i] == 540)
            b[i] = 180;
        else if (a[i] == 543)
            b[i] = 181;
        else if (a[i] == 546)
            b[i] = 182;
        else if (a[i] == 549)
            b[i] = 183;
        else if (a[i] == 552)
            b[i] = 184;
        else if (a[i] == 555)
            b[i] = 185;
        else if (a[i] == 558)
            b[i] = 186;
        else if (a[i] == 561)
            b[i] = 187;
        else if (a[i] == 564)
            b[i] = 188;
        else if (a[i] == 567)
            b[i] = 189;
        else if (a[i] == 570)
            b[i] = 190;
        else if (a[i] == 573)
            b[i] = 191;
        else if (a[i] == 576)
            b[i] = 192;
        else if (a[i] == 579)
            b[i] = 193;
        else if (a[i] == 582)
            b[i] = 194;
        else if (a[i] == 585)
            b[i] = 195;
        else if (a[i] == 588)
            b[i] = 196;
        else if (a[i] == 591)
            b[i] = 197;
        else if (a[i] == 594)
            b[i] = 198;
        else if (a[i] == 597)
            b[i] = 199;
    }
}
