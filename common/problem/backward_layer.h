/*
 * The backward pass of a whole layer: its arrays, how it is cut into heads,
 * and how a step runs over all of them.
 */
#ifndef COMMON_BACKWARD_LAYER_H
#define COMMON_BACKWARD_LAYER_H

#include "common/gradients.h"
#include "common/problem/attention_arrays.h"

typedef struct {
    attention_arrays forward; /* Q, K, V, mask, O, L, and the layer */
    npy_array dO;             /* as O */
    npy_array dQ, dK, dV;     /* as Q, K, V; written */
} backward_layer;

/*
 * For a forward problem that was read or made: dO from that file, whose shape
 * must be O's, or random (NULL), and room for the gradients. Returns 0, 1 or 2
 * as arrays_read does; backward_free frees, in any case.
 */
int backward_arrays(backward_layer *b, const char *dO);
void backward_free(backward_layer *b);

/* Query head nth, of which a later one of its group adds to dK and dV. */
gradients gradients_at(const backward_layer *b, size_t nth);

typedef struct {
    /* Summed over the heads: of the step, and of the forward kernel that left
     * what it reads. The most that one head had: extra. */
    counts counted, forward;
    size_t on_chip, extra;
    double seconds; /* of the step alone */
} backward_cost;

/*
 * dQ, dK and dV of every head by that step with M elements on chip, each head
 * after its forward pass. Returns 0; 1 for memory, 2 if M is too small: after
 * one line on stderr.
 */
int backward_run(const backward_layer *b, const backward_step *step, size_t M,
                 backward_cost *cost);

/* The step's tiles for a head of that shape; 0 x 0 of one that has none. */
tile_sizes backward_tiles(const backward_step *step, const head *h, size_t M);

/* The step's closed form over all heads; it must have one. */
counts backward_formula(const backward_layer *b, const backward_step *step,
                        size_t M);

#endif
