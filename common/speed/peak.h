/*
 * What this machine can do at most: multiply-adds, and bytes read. A kernel's
 * speed is a share of that, and the share only means something if both were
 * measured in the same seconds: clocks change, and other programs come and go.
 * So a benchmark runs a probe right before and after what it times.
 *
 * Both use the vectors of the target that is taken (targets.h).
 */
#ifndef COMMON_PEAK_H
#define COMMON_PEAK_H

#include <stddef.h>

#include "common/speed/targets.h"

/*
 * FLOP/s of fp32 multiply-adds, 2 FLOPs each, in sums that don't wait for one
 * another and never leave their registers. Takes about 20 ms. 0 if
 * FLASH2_TARGET names no target.
 */
double peak_flops(size_t threads);

/*
 * Bytes/s of reading the n floats at x, an equal share a thread, as sums of
 * several independent streams. x should be more than the caches hold.
 */
double peak_read(size_t threads, const float *x, size_t n);

/* The same of 256 MiB of its own; 0 without memory for them. */
double peak_bandwidth(size_t threads);

/* The loops of the probes, compiled for each target (peak_loops.c). */
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
