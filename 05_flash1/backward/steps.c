/* The backward steps of chapter 05. */
#include "04_tiled_attention/steps.h"
#include "05_flash1/backward/steps.h"
#include "05_flash1/steps.h"

const backward_step chapter_05_backward[] = {
    {.name = "standard_backward",
     .idea = "P was stored; dP and dS through HBM",
     .run = standard_backward,
     .formula = standard_backward_traffic,
     .forward = &standard_step,
     .products = 4},
    {.name = "flash1_backward",
     .idea = "P recomputed; K, V outside, Q inside; dQ goes through HBM",
     .tiles = flash1_backward_tiles,
     .run = flash1_backward,
     .formula = flash1_backward_traffic,
     .forward = &chapter_05_steps[0],
     .products = 5},
    {0},
};
