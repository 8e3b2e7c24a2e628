/*
 * A language model small enough to read: two layers of attention and a small
 * network, over characters. What it knows is one array of numbers; how
 * each of them should change is another of the same shape.
 *
 *     x = E[token] + P[position]
 *     for each layer:   x += attention(norm(x)) Wo
 *                       x += relu(norm(x) W1) W2
 *     loss = the mean of -ln softmax(norm(x) U)[next token]
 *
 * The attention is any pair of a forward and a backward step of chapters 04 to
 * 06. docs/backward.md
 */
#ifndef LAB_MODEL_H
#define LAB_MODEL_H

#include "common/gradients.h"
#include "docs/lab/corpus.h"

/* Numbers a token, and heads that they are cut into. */
enum { C = 64, HEADS = 4, LAYERS = 2, ALL = BATCH * C };

typedef struct {
    const char *name;
    attention_fn *forward;
    backward_fn *backward;
    forward_keeps keeps;
} attention_pair;

/* standard, flash1, flash2, two_kernels, simd */
enum { STANDARD, FLASH1, FLASH2, TWO_KERNELS, SIMD, PAIRS };
extern const attention_pair attention_pairs[PAIRS];

/* Of E and U as many rows and columns are used as there are letters. No vector
 * of an array crosses two lines of the cache. */
typedef struct {
    _Alignas(64) float E[LETTERS * C], P[TOKENS * C], U[C * LETTERS];
    struct {
        float QKV[C * 3 * C], Wo[C * C], W1[C * 4 * C], W2[4 * C * C];
    } layer[LAYERS];
} parameters;

enum { PARAMETERS = sizeof(parameters) / sizeof(float) };

/* What a layer keeps of its way forward, for the way back. Rows of tokens, but
 * Q, K, V and what attention gives are by head: sequence, head, token, C/HEADS.
 */
typedef struct {
    _Alignas(64) float x[ALL], norm[ALL], QKV[3 * ALL];
    float Q[ALL], K[ALL], V[ALL], O[ALL], L[BATCH * HEADS];
    float m[BATCH * HEADS], l[BATCH * HEADS]; /* if the pair keeps them */
    float P[BATCH * HEADS * TOKENS];
    float mixed[ALL], x2[ALL], norm2[ALL], hidden[4 * ALL];
} layer_state;

typedef struct {
    const attention_pair *pair;
    size_t vocabulary;
    parameters weight, gradient;
    _Alignas(64) float x[ALL], norm[ALL]; /* at the end, and: */
    float logits[BATCH * LETTERS];
    float dx[ALL], dy[ALL], dwide[4 * ALL];   /* on the way back */
    float dO[ALL], dQ[ALL], dK[ALL], dV[ALL]; /* by head */
    layer_state layer[LAYERS];
} model;

/* Random weights, the same each time. */
void model_begin(model *m, size_t vocabulary, const attention_pair *pair);

/* Forward for a batch of tokens: m->logits. Returns 0, or 1 after one line on
 * stderr. */
int model_forward(model *m, const unsigned char *tokens);

/* The mean loss against the token that comes next, of the last forward pass. */
double model_loss(const model *m, const unsigned char *next);

/* The way back of that loss: m->gradient. Returns 0, or 1 after one line on
 * stderr. */
int model_backward(model *m, const unsigned char *tokens,
                   const unsigned char *next);

/* --- What it is put together from (model_parts.c) -------------------------- */

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
