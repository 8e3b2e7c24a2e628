/* Standard attention with two products by a BLAS library (three_calls.c). */
#ifndef LAB_THREE_CALLS_H
#define LAB_THREE_CALLS_H

#include "common/step.h"

/* Sets the function that three_calls uses as cblas_sgemm. */
typedef void sgemm_fn(int order, int transpose_a, int transpose_b, int m, int n,
                      int k, float alpha, const float *a, int lda,
                      const float *b, int ldb, float beta, float *c, int ldc);
void set_sgemm(sgemm_fn *cblas_sgemm);

layer_fn three_calls;

#endif
