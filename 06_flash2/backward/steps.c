/*
 * The backward steps of chapter 06.
 */
#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"

const backward_step chapter_06_backward[] = {
    {.name = "flash2_backward",
     .idea = "L in place of m, l; D computed once",
     .tiles = flash2_backward_tiles,
     .run = flash2_backward,
     .formula = flash2_backward_traffic,
     .forward = &chapter_06_steps[1],
     .products = 5},
    {.name = "two_kernel_backward",
     .idea = "dQ, then dK and dV; each is stored once",
     .tiles = two_kernel_tiles,
     .run = two_kernel_backward,
     .formula = two_kernel_traffic,
     .forward = &chapter_06_steps[1],
     .products = 7},
    {.name = "flash2_backward_parallel",
     .idea = "the same on all cores",
     .tiles = two_kernel_tiles,
     .run = flash2_backward_parallel,
     .formula = two_kernel_traffic,
     .forward = &chapter_06_steps[1],
     .products = 7},
    {.name = "backward_simd",
     .idea = "one query or one column per SIMD lane",
     .run_heads = backward_simd,
     .forward = &chapter_06_steps[1],
     .products = 5},
    {0},
};
