/*
 * Rung 11 in float64: what quantisation alone does, nothing of the kernel's.
 * Its tests compare the rung with this, and fp8_error.c measures with it.
 *
 * All on the host; p->scratch has scratch_bytes(p).
 */
#ifndef CUDA_FP8_MODEL_H
#define CUDA_FP8_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/data/random.h"

#include "07_cuda/rung.h"

/* Fills p->scratch as fp8_quantise does: a scale for each block, or the
 * largest of them for all blocks of Q, of K, of V. */
void fp8_model_quantise(const rung_problem *p, bool one_scale);

typedef struct {
    double *Q, *K, *V; /* as rung.h has them */
} fp8_numbers;

/* p's numbers, or those that p->scratch encodes. */
fp8_numbers fp8_numbers_of(const rung_problem *p, bool quantised);
void fp8_numbers_free(fp8_numbers *x);

typedef struct {
    bool weights; /* rounded to e4m3 tile by tile, as rung 11 has them */
    double tau;   /* m stays while it grows by no more, in base 2; rung 11: 0 */
} fp8_rounding;

/*
 * O and L of all heads. O: heads x Nq x D. slack, if not NULL: heads x Nq; fp32
 * may round weights to other codes whose sum is that much another.
 */
void fp8_model_attend(const rung_problem *p, const fp8_numbers *x,
                      fp8_rounding how, double *O, double *L, double *slack);

/* ||O - want|| / ||want|| of elements from .. to - 1; O: p's, where it is
 * NULL. */
double fp8_distance(const rung_problem *p, const double *O, const double *want,
                    size_t from, size_t to);

/* --- Problems, on the host, of random numbers ----------------------------- */

typedef struct {
    int heads, group, Nq, Nk, D;
    int offset; /* Nk: no limit */
} fp8_shape;

/* Q, K, V normal, of that standard deviation, 1, 1; O and L are NaN, scratch
 * is bytes of 0xaa. Exits 1 without memory. */
rung_problem fp8_problem(const fp8_shape *shape, double spread, uint64_t seed);
void fp8_problem_free(rung_problem *p);

/* How many numbers Q and O have, and K and V; and number e of such an array. */
size_t fp8_count_q(const rung_problem *p);
size_t fp8_count_k(const rung_problem *p);
double fp8_number(const void *a, size_t e);

/* --- For the model alone -------------------------------------------------- */

/* e4m3: a sign, 4 bits of exponent, 3 of fraction; no infinity. Returns the
 * value of a code, 0 to 255; 127 and 255: NaN. */
double e4m3_value(unsigned code);

/* The code whose number is nearest to x, of two the even one; beyond 448, the
 * largest, it is that of 448. */
unsigned e4m3_code(double x);

/* Where element e of K and V is kept: its key, its codes, its block's scale. */
typedef struct {
    size_t key, k, v, block;
} fp8_place;
fp8_place fp8_place_of(const rung_problem *p, size_t e);

/* The block of element e of Q. */
size_t fp8_block_of(const rung_problem *p, size_t e);

#endif
