/*
 * The float64 reference of attention, from the same fp32 inputs, by the
 * definition.
 */
#ifndef COMMON_REFERENCE_ATTENTION_H
#define COMMON_REFERENCE_ATTENTION_H

#include "common/head.h"

/* Computes O (Nq x dv) and L (Nq; may be NULL) of the head, by the contract of
 * head.h. Returns 0, or 1 without memory for a row of Nk doubles. */
int reference_attention(const head *h, double *O, double *L);

/* Computes P of query i, Nk weights; and the row's maximum m and sum l. */
void reference_weights(const head *h, size_t i, double *p, double *m,
                       double *l);

/* Returns the final score of query i against key j; -inf if not attended. */
double reference_score(const head *h, size_t i, size_t j);

/* A sink is one more key, with a score and the value 0, that every query
 * attends (docs/variants.md). Return L with the sink, and the factor of the
 * row's weights and of O. */
#define NO_SINK (-HUGE_VAL)
double lse_with_sink(double L, double sink);
double share_with_sink(double L, double sink);

/* Adds a sink to O (rows x dv) and L of queries without one. */
void reference_add_sink(double sink, size_t rows, size_t dv, double *O,
                        double *L);

#endif
