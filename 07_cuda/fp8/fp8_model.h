/*
 * A model of rung 11 in float64, with the quantisation but without the kernel's
 * other roundings. test_fp8.c compares the rung with it; fp8_error.c measures
 * errors with it. All arrays are on the host; p->scratch has scratch_bytes(p).
 */
#ifndef CUDA_FP8_MODEL_H
#define CUDA_FP8_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/data/random.h"

#include "07_cuda/rung.h"

/* Fills p->scratch as fp8_quantise does, with a scale for each block; or, with
 * one_scale, with the largest of them for all blocks of Q, of K, of V. */
void fp8_model_quantise(const rung_problem *p, bool one_scale);

typedef struct {
    double *Q, *K, *V; /* with the layout of rung.h */
} fp8_numbers;

/* Returns Q, K and V of p, or those that p->scratch encodes. */
fp8_numbers fp8_numbers_of(const rung_problem *p, bool quantised);
void fp8_numbers_free(fp8_numbers *x);

typedef struct {
    bool weights; /* they are rounded to e4m3 tile by tile, as in rung 11 */
    double tau;   /* m grows only by more than this, in base 2; rung 11: 0 */
} fp8_rounding;

/*
 * Computes O (heads x Nq x D) and L of all heads. slack (heads x Nq, or NULL)
 * is the possible change of the weights' sum if fp32 rounds to other codes.
 */
void fp8_model_attend(const rung_problem *p, const fp8_numbers *x,
                      fp8_rounding how, double *O, double *L, double *slack);

/* Returns ||O - want|| / ||want|| of elements from .. to - 1. NULL for O means
 * p->O. */
double fp8_distance(const rung_problem *p, const double *O, const double *want,
                    size_t from, size_t to);

/* --- Problems, on the host, of random numbers ----------------------------- */

typedef struct {
    int heads, group, Nq, Nk, D;
    int offset; /* Nk: no limit */
} fp8_shape;

/* Makes a problem. Q, K and V are normal with standard deviations spread, 1 and
 * 1; O and L are NaN; scratch has bytes of 0xaa. Exits 1 without memory. */
rung_problem fp8_problem(const fp8_shape *shape, double spread, uint64_t seed);
void fp8_problem_free(rung_problem *p);

/* The elements of Q (or O), of K (or V), and element e of such an array. */
size_t fp8_count_q(const rung_problem *p);
size_t fp8_count_k(const rung_problem *p);
double fp8_number(const void *a, size_t e);

/* --- Only for the model --------------------------------------------------- */

/* Returns the value of an e4m3 code, 0 to 255; 127 and 255 are NaN. These two
 * functions and those of the emulator (cuda_fp8.h) are independent on purpose:
 * test_fp8.c compares their bytes, so an error in one of them is found. */
double e4m3_value(unsigned code);

/* Returns the code with the value nearest to x; the even one of two. Beyond
 * 448, the largest value, returns the code of 448. */
unsigned e4m3_code(double x);

/* The place of element e of K and V: its key, its codes, its block's scale. */
typedef struct {
    size_t key, k, v, block;
} fp8_place;
fp8_place fp8_place_of(const rung_problem *p, size_t e);

/* Returns the block of element e of Q. */
size_t fp8_block_of(const rung_problem *p, size_t e);

#endif
