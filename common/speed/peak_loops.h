/*
 * The loops of the probes, compiled for each target (peak_loops.c).
 */
#ifndef COMMON_PEAK_LOOPS_H
#define COMMON_PEAK_LOOPS_H

#include <stddef.h>

#include "common/speed/targets.h"

typedef struct {
    /* Does n rounds of multiply-adds; returns their sum, for it to be used. */
    float (*multiply_add)(size_t n);
    size_t flops; /* of a round */
    /* The sum of n floats. */
    float (*sum)(const float *x, size_t n);
} peak_loops;

#define X(target) extern const peak_loops peak_loops_##target;
TARGETS
#undef X

#endif
