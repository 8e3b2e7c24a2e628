/*
 * Measures the peak rates of this machine: multiply-adds, and bytes read. A
 * kernel's speed is compared with the peak. Both must be measured at the same
 * time, because clock rates and the load by other programs change. So a
 * benchmark runs a probe right before and right after each measurement.
 *
 * Both probes use the vector instructions of the chosen target (targets.h).
 */
#ifndef COMMON_PEAK_H
#define COMMON_PEAK_H

#include <stddef.h>

#include "common/speed/targets.h"

/* Returns seconds from a clock: for one thread the calling thread's processor
 * time, which other programs hardly change; otherwise real time. */
double speed_clock(size_t threads);

/* Returns FLOP/s of fp32 multiply-adds, 2 FLOPs each, in independent sums that
 * stay in registers. Takes about 20 ms. Returns 0 if FLASH2_TARGET names no
 * target. */
double peak_flops(size_t threads);

/* The same for any loop: run(n) does n rounds of `flops` FLOPs each and returns
 * a number that depends on all of them. */
double peak_of(float (*run)(size_t n), size_t flops, size_t threads);

/* Returns bytes/s of reading the n floats at x, an equal share per thread, as
 * sums of several independent streams. x should be larger than the caches. */
double peak_read(size_t threads, const float *x, size_t n);

/* The same for 256 MiB that it allocates; returns 0 without memory. */
double peak_bandwidth(size_t threads);

/* The loops of the probes, compiled for each target (peak_loops.c). */
typedef struct {
    /* Does n rounds of multiply-adds and returns their sum, so that the
     * compiler keeps the loop. */
    float (*multiply_add)(size_t n);
    size_t flops; /* of a round */
    /* Returns the sum of n floats. */
    float (*sum)(const float *x, size_t n);
} peak_loops;

#define X(target) extern const peak_loops peak_loops_##target;
TARGETS
#undef X

#endif
