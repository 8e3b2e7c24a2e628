/*
 * The backward steps of chapter 06.
 */
#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"

const backward_step chapter_06_backward[] = {
    {"flash2_backward", "L in place of m, l; D made once", flash2_backward,
     NULL, flash2, KEEPS_L, 5, flash2_backward_tiles, flash2_backward_traffic},
    {"two_kernel_backward", "dQ, then dK and dV: no gradient travels",
     two_kernel_backward, NULL, flash2, KEEPS_L, 7, two_kernel_tiles,
     two_kernel_traffic},
    {"flash2_backward_parallel", "the same on all cores",
     flash2_backward_parallel, NULL, flash2, KEEPS_L, 7, two_kernel_tiles,
     two_kernel_traffic},
    {"backward_simd", "one SIMD lane, one query or one column", backward_simd,
     backward_simd_heads, flash2, KEEPS_L, 5, NULL, NULL},
    {0},
};
