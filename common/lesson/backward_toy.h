/*
 * The toy of --trace (toy.h), on its way back: with a dO, so that a backward
 * kernel can be followed visit by visit.
 */
#ifndef COMMON_BACKWARD_TOY_H
#define COMMON_BACKWARD_TOY_H

#include "common/gradients.h"
#include "common/lesson/toy.h"

typedef struct {
    toy forward; /* Q, K, V; O and L of the forward kernel */
    float m[TOY_N], l[TOY_N];
    float dO[TOY_N * TOY_D];
    float dQ[TOY_N * TOY_D], dK[TOY_N * TOY_D], dV[TOY_N * TOY_D];
    gradients g;
} backward_toy;

/* Fills the toy, which must stay where it is, runs the forward step on it and
 * prints all that the way back is given. Returns 0, or 1 after one line on
 * stderr. */
int backward_toy_begin(backward_toy *t, const attention_step *forward);

/*
 * Runs the kernel on the toy and prints each visit: of each pair of tiles and
 * each of its queries the weights, dP, dS, and dQ as it is stored in HBM after
 * the visit, if it is. Then dQ, dK and dV. Returns an exit code.
 */
int backward_toy_trace(backward_toy *t, const char *name, backward_fn *kernel);

/* Runs the kernel and prints in which order it stores what. */
int backward_toy_stores(backward_toy *t, const char *name, backward_fn *kernel);

#endif
