/*
 * Running a step on a case, forward or backward, and judging what came out,
 * against float64 of the same inputs. What the claims of attention_contract.h
 * are made of. What a forward pass leaves for a backward step is float64's,
 * rounded.
 *
 * With t = max(1e-6, Nk 2^-25), which is Nk roundings of a sum that grows
 * evenly, and so is half of its end in the mean:
 *
 *     O   t max|V|                         where fp32 holds the scores
 *         t r max|V|                       where it rounds them, with
 *         r = max(1, max|s| / 4, |scale| max||q|| max||k|| / 16)
 *     L   (1e-6 + n 2^-23) r + 2^-23 |L|   for n = Nk + 1 weights
 *
 * since rounding a score s costs about eps |s|. A step in bf16 or fp16 gets
 * its inputs rounded so, and may be off by 1e-5 max|V| and twice the error of
 * a plain kernel that stores S, P and O in that type (of a lucky one, twice
 * what it would be in the mean); its L also by the step's weight_error, since a
 * factor of 1 + e in l adds e to ln l. Backward, with the longer of Nq and Nk in t:
 *
 *     dQ   t r max(|dQ|, |scale| max|dP| max|K|)
 *     dK   t r max(|dK|, |scale| max|dP| max|Q|)
 *     dV   2 t r max|dV|
 *
 * where dP is of keys that are attended: dP - D may cancel, and what is lost
 * by that is not to be had back. r also counts for scores that fp32 holds,
 * since L is rounded.
 *
 * L = m + ln l has a bound of its own, since l is a sum of n weights: an addition
 * costs at most u = 2^-24 of the last sum, a key that raises the maximum two roundings
 * more; but that key weighs 1 itself. With R of them that is n + 2 R - 3 R^2 / 2n <
 * 2 n roundings. The exponentials and the logarithm are what 1e-6 = 16 u pays for,
 * then come the roundings of L itself.
 */
#ifndef COMMON_ATTENTION_CHECK_H
#define COMMON_ATTENTION_CHECK_H

#include "common/layer.h"
#include "common/testing/attention_case.h"

/* What is right, and how far off a step may be. Rounds Q, K, V to its type. */
void case_expect(attention_case *c, const attention_step *s);

/* The same of any backward step. dK and dV that are added to (g.add) must hold
 * what they are to begin with. */
void expect_gradients(attention_case *c);

/* What forward kernels leave, rounded to fp32: O and L, and P, m and l as far as
 * h has them. Returns 0, or 1 without memory. */
int reference_forward(const head *h);

/* Runs the step, and gives its error. */
int case_try(attention_case *c, const attention_step *s, memory *mem);

/* Runs the step on outputs of NaN; fails the running test if it refuses. */
void case_run(attention_case *c, const attention_step *s);

/* "flash1: Nq 3, Nk 5, d 2, dv 2, Br 1, Bc 2, causal offset 2": what failed. */
void print_case(const attention_case *c, const attention_step *s);

/* Fails the running test, and says where, unless all is as expected. */
void case_check(const attention_case *c, const attention_step *s);

/* Expect; run and check, with the tiles that c->h asks for. */
void check_case(const attention_step *s, attention_case *c);

/* Tiles for the k-th run of a case, or an M to choose them from; false: there
 * were enough. */
typedef bool tiles_fn(const attention_step *s, attention_case *c, size_t k);

/* Run and check each time, without case_expect: for a test that sets what is
 * right, or how nearly. */
void check_runs(const attention_step *s, attention_case *c, tiles_fn *sizes);

/* Tiles of six sizes, if the step has tiles; and expect, run and check with
 * them. */
tiles_fn six_sizes;
void check_tiled(const attention_step *s, attention_case *c);

#endif
