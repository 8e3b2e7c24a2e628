/*
 * The ladder, in the order in which one climbs it. The Hopper rungs (TMA,
 * wgmma) go after the last.
 */
#include "rung.h"

#include <stddef.h>

const rung ladder[] = {
    {"flash1",
     "a thread per query row; O, m, l travel through HBM",
     FP32,
     rung1_flash1,
     {128, 128},
     {32, 32}},
    {"flash2",
     "queries outside; O, m, l stay in registers",
     FP32,
     rung2_flash2,
     {128, 64},
     {32, 32}},
    {},
};
