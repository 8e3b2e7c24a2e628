/* The toy problem (toy.h) with a dO, and a trace of a backward kernel on it. */
#ifndef COMMON_TOY_BACKWARD_H
#define COMMON_TOY_BACKWARD_H

#include "common/gradients.h"
#include "common/lesson/attention/toy.h"

typedef struct {
    toy forward; /* Q, K, V, and O and L of the forward step */
    float m[TOY_N], l[TOY_N];
    float dO[TOY_N * TOY_D];
    float dQ[TOY_N * TOY_D], dK[TOY_N * TOY_D], dV[TOY_N * TOY_D];
    gradients g;
} backward_toy;

/* Fills the toy, runs the forward step on it, and prints the inputs of the
 * backward pass. The toy must not be moved afterwards: t->g points into it.
 * Returns 0, or 1 after one line on stderr. */
int backward_toy_begin(backward_toy *t, const attention_step *forward);

/* Runs the kernel on the toy problem with the watch. Returns an exit code. */
int backward_toy_run(backward_toy *t, backward_fn *kernel, memory_watch *watch,
                     void *watcher);

/* For each visited pair of tiles, and for each query of the pair, prints the
 * weights, dP, dS, and dQ in HBM after the visit. Then prints dQ, dK and
 * dV. Returns an exit code. */
int backward_toy_trace(backward_toy *t, backward_fn *kernel);

#endif
