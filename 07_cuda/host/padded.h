/*
 * Heads as chapters 04-06 have them, made into a problem for a rung: Q, K and
 * V rounded to the rung's type, and d and dv padded with zeros to D
 * columns, which change no score and no output.
 */
#ifndef CUDA_PADDED_H
#define CUDA_PADDED_H

#include "common/head.h"

#include "07_cuda/rung.h"

/*
 * p from n heads of the same sizes, each group of `group` having the same K
 * and V; only the first of a group is copied. All of p's arrays are new, on
 * the host. Returns 0, or 1 without memory; padded_free frees in any case.
 */
int padded_from(rung_problem *p, const head heads[], size_t n, size_t group,
                precision type, int D);

/* O and L of p to the heads, widened to fp32. */
void padded_to(const head heads[], size_t n, const rung_problem *p);

void padded_free(rung_problem *p);

#endif
