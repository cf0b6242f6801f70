#include <stdint.h>

// As many words in as the memory has ports for them: three arrays are read and one is written, each once.
#pragma burstc size(N: 65536, max 1048576)
void sum_of_three(int N, const int32_t a[N], const int32_t b[N], const int32_t c[N], int32_t d[N])
{
#pragma burstc tile(i:1024)
    for (int i = 0; i < N; i++)
        d[i] = a[i] + b[i] + c[i];
}
