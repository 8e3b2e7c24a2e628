/*
 * A rung of the backward pass: the gradients of attention by CUDA kernels, for
 * all heads at once. The forward problem is a rung_problem with the contract of
 * rung.h, padding included.
 *
 *     dV = P^T dO      dS = P o (dO V^T - D)      dQ = scale dS K
 *                                                 dK = scale dS^T Q
 *
 * with P = e^{S - L} recomputed, and D_i = sum_c dO_ic O_ic. common/gradients.h
 * has the contract, docs/backward.md the mathematics.
 */
#ifndef CUDA_GRADIENT_RUNG_H
#define CUDA_GRADIENT_RUNG_H

#include "07_cuda/rung.h"

typedef struct {
    rung_problem forward; /* Q, K, V, O and L are read */
    const void *dO;       /* heads x Nq x columns, as O */
    void *dQ;             /* heads x Nq x columns, written */
    void *dK, *dV;        /* heads / group x Nk x columns, written: sums over
                             the heads of a group */
    float *D;             /* heads x Nq, written: D_i */
    float *dQ_sum;        /* heads x Nq x columns, scratch for rungs that sum dQ
                             in fp32 before they round it to 16 bits */
} gradient_problem;

/* The contract of rung_fn. Nq, Nk and heads are at least 1. */
typedef int gradient_fn(const gradient_problem *p);

typedef struct {
    precision type; /* of Q, K, V, O, dO and the gradients */
    bool same_bits; /* every run gives the same bits: the order of a sum does
                       not depend on the order in which threads run */
    demand needs;
    gradient_fn *run;
} gradient_rung;

#ifdef __cplusplus
extern "C" {
#endif

gradient_fn backward_atomics, backward_two_kernels, backward_tensor_cores,
    backward_wgmma, backward_reduce;

enum {
    BACKWARD_atomics,
    BACKWARD_two_kernels,
    BACKWARD_tensor_cores,
    BACKWARD_wgmma,
    BACKWARD_reduce,
    BACKWARD_RUNGS
};

extern const gradient_rung backward_ladder[BACKWARD_RUNGS];

/* The arrays of a gradient_problem (device.h): the inputs, the gradients, then
 * those that exist on the device alone. gradient_arrays stores them in all. */
enum { ON_THE_HOST = 9, GRADIENT_ARRAYS = 11 };
struct device_array;

void gradient_arrays(gradient_problem *p, struct device_array *all);

/* Elements that a rung loaded from HBM, stored there and added there, as the
 * emulator counted; 0 on a GPU. */
typedef struct {
    size_t loaded, stored, added;
} gradient_moved;

/* Copies arrays of the host to the device, runs the rung and copies the
 * gradients back. Returns 0 or a cudaError_t. moved may be NULL. */
int gradients_on_device(gradient_fn *run, const gradient_problem *p,
                        gradient_moved *moved);

#ifdef __cplusplus
}
#endif
#endif
