/*
 * What the model (model.h) is put together from, each with its way back:
 * products, norms, and the cut into heads. All go over the tokens of a batch.
 */
#ifndef LAB_MODEL_PARTS_H
#define LAB_MODEL_PARTS_H

#include <stdbool.h>

#include "common/matrix.h"
#include "docs/lab/corpus.h"

/* Numbers a token, and heads that they are cut into. */
enum { C = 64, HEADS = 4, LAYERS = 2, ALL = BATCH * C };

/* Y += X W: BATCH x in, in x out. And dX += dY W^T, dW += X^T dY. */
void multiply(float *Y, const float *X, const float *W, size_t in, size_t out);
void multiply_back(float *dX, float *dW, const float *dY, const float *X,
                   const float *W, size_t in, size_t out);

/* y = x / sqrt(mean x^2): each token is as long as the others. And dx += r (dy
 * - y mean(y dy)) with r = 1 / sqrt(mean x^2). */
void norm(float *y, const float *x);
void norm_back(float *dx, const float *dy, const float *y, const float *x);

/* From rows of tokens, `cols` numbers each, C of them from column `from` on, to
 * heads; or back. */
void turn_heads(float *rows, size_t cols, size_t from, float *heads,
                bool to_heads);

#endif
