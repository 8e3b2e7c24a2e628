/*
 * The contract of a backward rung. It computes the gradients of attention for
 * all heads at once. The forward problem has the contract of rung.h, padding
 * included.
 *
 *     dV = P^T dO      dS = P o (dO V^T - D)      dQ = scale dS K
 *                                                 dK = scale dS^T Q
 *
 * The kernels recompute P = e^{S - L}. D_i = sum_c dO_ic O_ic, and o is the
 * elementwise product. common/gradients.h has the conventions of gradients, and
 * docs/backward.md the mathematics. "columns" below is forward.D.
 */
#ifndef CUDA_GRADIENT_RUNG_H
#define CUDA_GRADIENT_RUNG_H

#include "07_cuda/rung.h"

typedef struct {
    rung_problem forward; /* Q, K, V, O and L are read */
    const void *dO;       /* heads x Nq x columns */
    void *dQ;             /* heads x Nq x columns, written */
    void *dK, *dV;        /* heads / group x Nk x columns, written; sums over
                             the heads of a group */
    float *D;             /* D_i: heads x Nq, written */
    float *dQ_sum;        /* heads x Nq x columns, scratch: some rungs sum dQ
                             in fp32 here before they round it to 16 bits */
} gradient_problem;

/* Starts the rung's kernels and returns as rung_fn does (rung.h). Nq, Nk and
 * heads are at least 1. */
typedef int gradient_fn(const gradient_problem *p);

typedef struct {
    precision type; /* of Q, K, V, O, dO, dQ, dK and dV */
    bool same_bits; /* true if every run gives the same bits */
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

enum { ON_THE_HOST = 9, GRADIENT_ARRAYS = 11 };
struct device_array; /* host/device.h */

/* Describes the arrays of p in `all`. The first ON_THE_HOST are the inputs and
 * the gradients. The others exist only on the device. */
void gradient_arrays(gradient_problem *p, struct device_array *all);

/* Numbers of elements that a rung loaded from HBM, stored in HBM and added in
 * HBM by atomics or TMA. The emulator counts them. On a GPU they are 0. */
typedef struct {
    size_t loaded, stored, added;
} gradient_moved;

/* Runs a rung on arrays of the host. Stores the counts in *moved if moved is
 * not NULL. Returns 0 or a cudaError_t. */
int gradients_on_device(gradient_fn *run, const gradient_problem *p,
                        gradient_moved *moved);

#ifdef __cplusplus
}
#endif
#endif
