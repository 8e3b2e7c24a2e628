/* Computes attention in float64 by its definition, as the reference. */
#ifndef COMMON_REFERENCE_ATTENTION_H
#define COMMON_REFERENCE_ATTENTION_H

#include "common/head.h"

/* Allocates n numbers. Returns NULL if they and the memory in use exceed the limit
 * (common/memory_limit.h). */
double *reference_numbers(size_t n);

/* Computes O (Nq x dv) and L (Nq; may be NULL) of the head, by the contract of
 * head.h. Returns 0, or 1 if out of memory. */
int reference_attention(const head *h, double *O, double *L);

/* Computes the Nk weights of query i, and the row's maximum m and sum l. */
void reference_weights(const head *h, size_t i, double *p, double *m,
                       double *l);

/* Returns the final score, or -inf if the key is not attended. The sum of a
 * score and a large mask is rounded to fp32, as in every fp32 kernel. */
double reference_score(const head *h, size_t i, size_t j);

/* True if the mask is finite, and at least 1024 or at most -1024. In fp32 its
 * sum with a score is rounded to a multiple of 2^-13 or more. */
bool has_large_mask(const head *h, size_t i, size_t j);

/* A sink is an additional key with a given score and the value 0. Every query
 * attends to it (docs/variants.md). lse_with_sink returns L with the sink.
 * share_with_sink returns the factor by which the sink multiplies the row's
 * weights and O. */
#define NO_SINK (-HUGE_VAL)
double lse_with_sink(double L, double sink);
double share_with_sink(double L, double sink);

/* Adds a sink to O (rows x dv) and L (rows), which were computed without it. */
void reference_add_sink(double sink, size_t rows, size_t dv, double *O,
                        double *L);

#endif
