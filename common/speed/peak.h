/*
 * Measures two peak rates of this machine: multiply-adds per second, and bytes
 * read per second. Benchmarks compare a kernel's speed with a peak. Clock rates
 * and the load by other programs change with time, so a benchmark measures the
 * peak right before and right after each kernel.
 *
 * The loops use the vector instructions of the chosen target (targets.h).
 */
#ifndef COMMON_PEAK_H
#define COMMON_PEAK_H

#include <stddef.h>

#include "common/speed/targets.h"

/* Returns a time in seconds: for one thread the processor time of the calling
 * thread, which other programs hardly change; for more threads real time. */
double speed_clock(size_t threads);

/* Returns FLOP/s of fp32 multiply-adds, 2 FLOPs each, in independent sums that
 * stay in registers, or 0 if choose_target fails. Takes about 20 ms. */
double peak_flops(size_t threads);

/* Returns FLOP/s of any loop: run(n) does n rounds of `flops` FLOPs each and
 * returns a number that depends on all rounds. */
double peak_of(float (*run)(size_t n), size_t flops, size_t threads);

/* Returns bytes/s of reading the n floats at x. Each thread reads and sums one
 * part of x as several streams. x should be larger than the caches. */
double peak_read(size_t threads, const float *x, size_t n);

/* Allocates 256 MiB and calls peak_read. Returns 0 if out of memory. */
double peak_bandwidth(size_t threads);

typedef struct {
    /* Does n rounds of multiply-adds and returns their sum, so that the
     * compiler keeps the loop. */
    float (*multiply_add)(size_t n);
    size_t flops;
    /* Returns the sum of n floats. */
    float (*sum)(const float *x, size_t n);
} peak_loops;

#define X(target) extern const peak_loops peak_loops_##target;
TARGETS
#undef X

#endif
