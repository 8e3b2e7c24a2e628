/*
 * A rung of the backward pass: the gradients of attention by CUDA kernels, for
 * all heads at once. The forward problem is a rung's (rung.h), padded as there;
 * what is said of it holds here.
 *
 *     dV = P^T dO      dS = P o (dO V^T - D)      dQ = scale dS K
 *                                                 dK = scale dS^T Q
 *
 * with P = e^{S - L} made again, and D_i = sum_c dO_ic O_ic. common/gradients.h
 * has the contract, docs/backward.md the mathematics.
 */
#ifndef CUDA_GRADIENT_RUNG_H
#define CUDA_GRADIENT_RUNG_H

#include "07_cuda/rung.h"

typedef struct {
    rung_problem forward; /* Q, K, V, O and L are read */
    const void *dO;       /* heads x Nq x columns, as O */
    void *dQ;             /* heads x Nq x columns, written */
    void *dK, *dV;        /* heads / group x Nk x columns, written: what the
                             heads of a group give, summed */
    float *D;             /* heads x Nq, written: D_i */
    float *dQ_sum;        /* heads x Nq x columns, scratch for rungs that add in
                             fp32 what it writes in 16 bits */
} gradient_problem;

/* As rung_fn. Nq, Nk and heads are at least 1. */
typedef int gradient_fn(const gradient_problem *p);

typedef struct {
    precision type; /* of Q, K, V, O, dO and the gradients */
    bool same_bits; /* every run gives the same: nothing is added in the order
                       in which threads happen to come */
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

/* Its arrays (device.h): what is read, then the gradients, then what is on the
 * device alone. */
enum { ON_THE_HOST = 9, GRADIENT_ARRAYS = 11 };
struct device_array;

void gradient_arrays(gradient_problem *p, struct device_array *all);

/*
 * The rung on arrays of the host's: they are copied to the device, the rung
 * runs, the gradients are copied back. Returns 0 or a cudaError_t. What it
 * loaded from HBM and stored there, and added there, in elements, as the
 * emulator counted; 0 on a GPU.
 */
typedef struct {
    size_t loaded, stored, added;
} gradient_moved;

int gradients_on_device(gradient_fn *run, const gradient_problem *p,
                        gradient_moved *moved);

#ifdef __cplusplus
}
#endif
#endif
