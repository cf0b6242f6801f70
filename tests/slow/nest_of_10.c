/* A nest of ten loops with constant bounds. */
#include <stdint.h>
void nest_of_10(const int32_t a[10*2], int32_t out[2][2])
{
for (int i0 = 0; i0 < 2; i0++)
  for (int i1 = 0; i1 < 2; i1++)
    for (int i2 = 0; i2 < 2; i2++)
      for (int i3 = 0; i3 < 2; i3++)
        for (int i4 = 0; i4 < 2; i4++)
          for (int i5 = 0; i5 < 2; i5++)
            for (int i6 = 0; i6 < 2; i6++)
              for (int i7 = 0; i7 < 2; i7++)
                for (int i8 = 0; i8 < 2; i8++)
                  for (int i9 = 0; i9 < 2; i9++)
out[i0][i1] += a[i0 + i1 + i2 + i3 + i4 + i5 + i6 + i7 + i8 + i9];
}
