/*
 * The backward steps of chapter 05, each with the forward kernel that leaves
 * what it reads.
 */
#include "04_tiled_attention/steps.h"
#include "05_flash1/backward/steps.h"
#include "05_flash1/steps.h"

const backward_step chapter_05_backward[] = {
    {"standard_backward", "P was stored; dP and dS through HBM",
     standard_backward, NULL, standard_attention, KEEPS_P, 4, NULL,
     standard_backward_traffic},
    {"flash1_backward", "P made again; K, V outside, Q inside; dQ travels",
     flash1_backward, NULL, flash1, KEEPS_M_L, 5, flash1_backward_tiles,
     flash1_backward_traffic},
    {0},
};
