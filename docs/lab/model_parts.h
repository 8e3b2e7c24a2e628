/*
 * What the model (model.h) is put together from, each with its way back:
 * products, norms, and the cut into heads.
 */
#ifndef LAB_MODEL_PARTS_H
#define LAB_MODEL_PARTS_H

#include <stdbool.h>

#include "common/matrix.h"

typedef struct {
    size_t vocabulary, layers;
    size_t B, T; /* sequences a batch, tokens each */
    size_t C, H; /* numbers a token; heads of C / H numbers */
} model_sizes;

/* Y += X W: rows x in, in x out. And dX += dY W^T, dW += X^T dY. */
void multiply(float *Y, const float *X, const float *W, size_t rows, size_t in,
              size_t out);
void multiply_back(float *dX, float *dW, const float *dY, const float *X,
                   const float *W, size_t rows, size_t in, size_t out);

/* y = x / sqrt(mean x^2): each token is as long as the others. And dx += r (dy
 * - y mean(y dy)) with r = 1 / sqrt(mean x^2). */
void norm(float *y, const float *x, size_t rows, size_t C);
void norm_back(float *dx, const float *dy, const float *y, const float *x,
               size_t rows, size_t C);

/* From rows of tokens (B T x cols, C of them from column `from` on) to heads
 * (B x H x T x C/H), or back. */
void turn_heads(const model_sizes *s, float *rows, size_t cols, size_t from,
                float *heads, bool to_heads);

/* Where the parameters begin: the tokens' E, the positions' P, U, and the four
 * matrices of layer k. */
typedef enum { QKV_OF, WO, W1, W2, PER_LAYER } matrix_of_layer;
size_t positions_at(const model_sizes *s);
size_t unembedding_at(const model_sizes *s);
size_t matrix_at(const model_sizes *s, size_t k, matrix_of_layer which);

#endif
