/*
 * Seeded random numbers (SplitMix64), never seeded from the clock. For the same
 * seed random_bits, random_below and random_uniform return the same numbers on
 * every machine. The numbers of random_normal and random_fill may differ in the
 * last bit, because log and cos differ between math libraries.
 */
#ifndef COMMON_RANDOM_H
#define COMMON_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t state;
} random_source;

random_source random_seed(uint64_t seed);

uint64_t random_bits(random_source *r);
/* Returns a uniform integer in [0, n), n >= 1, without bias. */
size_t random_below(random_source *r, size_t n);
/* Returns a uniform number in [0, 1). */
double random_uniform(random_source *r);
double random_normal(random_source *r);
/* Fills x with n normal floats of mean 0 and standard deviation sigma. */
void random_fill(random_source *r, float *x, size_t n, double sigma);

#endif
