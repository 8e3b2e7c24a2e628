/*
 * A model of rung 11 in float64. It quantises as the kernel does, but has no
 * other roundings. All arrays are on the host. p->scratch has scratch_bytes(p)
 * bytes.
 */
#ifndef CUDA_FP8_MODEL_H
#define CUDA_FP8_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/data/random.h"

#include "07_cuda/rung.h"

/* Fills p->scratch as fp8_quantise does. If one_scale, every block of Q gets
 * the largest scale of all blocks of Q. K and V are treated in the same way. */
void fp8_model_quantise(const rung_problem *p, bool one_scale);

typedef struct {
    double *Q, *K, *V; /* shapes as in rung_problem */
} fp8_numbers;

/* Returns p's Q, K and V in float64 or, if quantised, those in p->scratch (code
 * times scale). K and V of keys that no query sees are 0. */
fp8_numbers fp8_numbers_of(const rung_problem *p, bool quantised);
void fp8_numbers_free(fp8_numbers *x);

typedef struct {
    bool weights; /* true: weights are rounded to e4m3 as in rung 11 */
    double tau;   /* m changes only if it grows by more than tau, in base 2;
                     rung 11: 0 */
} fp8_rounding;

/* Computes O (heads x Nq x D) and L (heads x Nq). Stores in slack (heads x Nq,
 * or NULL) how much the sum of a row's normalised weights may change if fp32
 * rounds some weights to other codes. */
void fp8_model_attend(const rung_problem *p, const fp8_numbers *x,
                      fp8_rounding how, double *O, double *L, double *slack);

/* Returns ||O - want|| / ||want|| over elements from .. to - 1. If O is NULL,
 * takes p->O. */
double fp8_distance(const rung_problem *p, const double *O, const double *want,
                    size_t from, size_t to);

typedef struct {
    int heads, group, Nq, Nk, D;
    int offset; /* as in rung_problem; Nk means no limit */
} fp8_shape;

/* Q, K and V are random bf16 numbers with standard deviations spread, 1 and 1.
 * O and L are NaN. All bytes of scratch are 0xaa. */
rung_problem fp8_problem(const fp8_shape *shape, double spread, uint64_t seed);
void fp8_problem_free(rung_problem *p);

/* fp8_count_q counts the elements of Q (or O), fp8_count_k those of K (or V).
 * fp8_number returns element e of the bf16 array a. */
size_t fp8_count_q(const rung_problem *p);
size_t fp8_count_k(const rung_problem *p);
double fp8_number(const void *a, size_t e);

/* Codes 127 and 255 are NaN. e4m3_value and e4m3_code are independent of the
 * emulator's functions, so that test_fp8.c finds an error in either
 * implementation. */
double e4m3_value(unsigned code);

/* Returns the code whose value is nearest to x, the even one of two. For |x| >
 * 448 returns the code of 448 or -448, and for NaN 127. */
unsigned e4m3_code(double x);

/* The places of element e of K and V in fp8_arrays. */
typedef struct {
    size_t key;   /* number of the key in its head */
    size_t k, v;  /* indices of the codes in K and V */
    size_t block; /* index of the scales in k and v */
} fp8_place;
fp8_place fp8_place_of(const rung_problem *p, size_t e);

/* Returns the index of the scale of element e of Q. */
size_t fp8_block_of(const rung_problem *p, size_t e);

#endif
