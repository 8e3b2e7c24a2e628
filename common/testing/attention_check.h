/*
 * Runs a step on a case, forward or backward, and checks the results against
 * float64 of the same inputs. The tests of attention_contract.h use it. A
 * backward step gets the forward results of float64, rounded.
 *
 * Tolerances use t = max(1e-6, Nk 2^-25): the cost of Nk roundings of a sum
 * that grows evenly, so that its mean is half of its final value.
 *
 *     O   t max|V|                         if scores are exact in fp32
 *         t r max|V|                       if they are rounded, with
 *         r = max(1, max|s| / 4, |scale| max||q|| max||k|| / 16)
 *     L   (1e-6 + n 2^-23) r + 2^-23 |L|   for n = Nk + 1 weights
 *
 * The factor r is needed because rounding a score s costs about eps |s|.
 *
 * A step in bf16 or fp16 gets inputs rounded to its type. The tolerance of O is
 * 1e-5 max|V| plus twice the error of standard attention that stores S, P and O
 * in that type, or twice the mean error if this is larger. The tolerance of L
 * also includes twice the error of standard attention, and the step's
 * weight_error: a factor of 1 + e in l adds e to ln l.
 *
 * For backward steps t has the larger of Nq and Nk instead of Nk:
 *
 *     dQ   t r max(|dQ|, |scale| max|dP| max|K|)
 *     dK   t r max(|dK|, |scale| max|dP| max|Q|)
 *     dV   2 t r max|dV|
 *
 * max|dP| is that of attended keys. It is in the tolerance because dP - D loses
 * digits by cancellation. r also applies to exact scores, because L is rounded.
 *
 * L = m + ln l has its own bound, because l is a sum of n weights. An addition
 * costs at most u = 2^-24 of the final sum. A key that raises the maximum costs
 * two more roundings, but its own weight is 1. With R such keys the total is n
 * + 2 R - 3 R^2 / 2n < 2 n roundings. 1e-6, about 16 u, covers the exponentials
 * and the logarithm. The last term covers the roundings of L itself.
 */
#ifndef COMMON_ATTENTION_CHECK_H
#define COMMON_ATTENTION_CHECK_H

#include "common/testing/attention_case.h"

/* The largest number of backward steps in a test program. */
enum { MOST_TESTED = 32 };

/* The functions below take an attention_step. For a backward step, pass
 * tested(step): a stand-in with the same name and tiles, valid until the
 * program ends. backward_of returns the backward step of a stand-in. */
const attention_step *tested(const backward_step *step);
bool is_backward(const attention_step *s);
const backward_step *backward_of(const attention_step *s);

/* Computes expected results and tolerances. Rounds Q, K, V to the step's
 * type. */
void case_expect(attention_case *c, const attention_step *s);

/* Computes the expected gradients and their tolerances. If g.add, c->dK and
 * c->dV must have the values to which the gradients are added. */
void expect_gradients(attention_case *c);

/* Computes the results of a forward kernel in float64 and rounds them to fp32:
 * O and L, and P, m and l if h has them. Returns 0, or 1 if out of memory. */
int reference_forward(const head *h);

/* Runs the step with mem. Returns mem->error. */
int case_try(attention_case *c, const attention_step *s, memory *mem);

/* Fills the outputs with NaN and runs the step, which must not fail. */
void case_run(attention_case *c, const attention_step *s);

/* Prints a case on one line, such as "flash1: Nq 3, Nk 5, d 2, ...". */
void print_case(const attention_case *c, const attention_step *s);

/* Fails the test unless all results are within the tolerances, and exactly 0
 * where no key is attended. */
void case_check(const attention_case *c, const attention_step *s);

/* Calls case_expect, case_run and case_check. */
void check_case(const attention_step *s, attention_case *c);

/* Sets the tile sizes, or M, for the k-th run of a case. Returns false after
 * the last run. */
typedef bool tiles_fn(const attention_step *s, attention_case *c, size_t k);

/* Calls case_run and case_check for each k. The caller has called case_expect,
 * and may have changed the expected results or the tolerances. */
void check_runs(const attention_step *s, attention_case *c, tiles_fn *sizes);

/* six_sizes has six runs with different tile sizes, or one if the step has no
 * tiles. check_tiled calls case_expect, and check_runs with six_sizes. */
tiles_fn six_sizes;
void check_tiled(const attention_step *s, attention_case *c);

#endif
