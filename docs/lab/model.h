/*
 * A language model small enough to read: one or two layers of attention and a
 * small network, over characters. What it knows is one array of numbers; how
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
#include "docs/lab/model_parts.h"

typedef struct {
    const char *name;
    attention_fn *forward;
    backward_fn *backward;
    forward_keeps keeps;
} attention_pair;

/* What a layer keeps of its way forward, for the way back. Rows of tokens, but
 * Q, K, V and what attention gives are by head: B x H x T x C/H. */
typedef struct {
    float *x, *norm, *QKV;              /* B T x C, C, 3C */
    float *Q, *K, *V, *O, *L;           /* L: B x H x T */
    float *m, *l, *P;                   /* if the pair keeps them */
    float *mixed, *x2, *norm2, *hidden; /* B T x C, C, C, 4C */
} layer_state;

typedef struct {
    model_sizes s;
    const attention_pair *pair;
    size_t parameters;
    float *weight, *gradient; /* all parameters, one behind the other */
    layer_state *layer;
    float *x, *norm, *logits; /* at the end: B T x C, C, vocabulary */
    float *dx, *dy, *dwide;   /* B T x C, C, 4C: on the way back */
    float *dheads;            /* dO, dQ, dK, dV by head */
    float *all;               /* what all of these are cut from */
} model;

/* Random weights of a seed. Returns 0, or 1 after one line on stderr. */
int model_new(model *m, model_sizes s, const attention_pair *pair, size_t seed);
void model_free(model *m);

/* Forward for B x T tokens: m->logits. Returns an attention kernel's error. */
int model_forward(model *m, const unsigned char *tokens);

/* The mean loss against the token that comes next, of the last forward pass. */
double model_loss(const model *m, const unsigned char *next);

/* The way back of that loss: m->gradient. Returns a kernel's error. */
int model_backward(model *m, const unsigned char *tokens,
                   const unsigned char *next);

#endif
