/* bicg of PolyBench with constant bounds, as other tools write C: a temporary per value. */
#include <stdint.h>
void bicg_temporaries(float A[390][410], float s[390], float q[410], float p[390], float r[410])
{
    for (int i = 0; i < 390; i++) s[i] = 0;
    for (int i = 0; i < 410; i++) {
        q[i] = 0.0f;
        for (int j = 0; j < 390; j++) {
            float v0 = s[j]; float v1 = r[i]; float v2 = A[j][i]; float v3 = v1 * v2; float v4 = v0 + v3; s[j] = v4;
            float v5 = q[i]; float v6 = p[j]; float v7 = v2 * v6; float v8 = v5 + v7; q[i] = v8;
        }
    }
}
