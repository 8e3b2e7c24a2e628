/* flash2_simd with Q and O transposed number by number, through memory. */
#include "06_flash2/fast/simd.h"

INLINE void transpose_numbers(vf x[W])
{
    float by_row[W][W];

    memcpy(by_row, x, sizeof by_row);
    for (size_t i = 0; i < W; i++)
        for (size_t j = 0; j < W; j++)
            x[j][i] = by_row[i][j];
}

#define transpose transpose_numbers

#include "06_flash2/fast/flash2_simd.c"
