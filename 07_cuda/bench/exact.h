/*
 * Compares some rows of a rung's outputs with float64.
 */
#ifndef CUDA_EXACT_H
#define CUDA_EXACT_H

#include <vector>

#include "07_cuda/backward/gradient_rung.h"

/* A row of an output on the device, and what it should be. */
struct exact_row {
    void *at;
    precision type;
    std::vector<double> want;
};

/* Two rows of O in the first head and in the last; after an error none. */
std::vector<exact_row> exact_outputs(const rung_problem &p);

/* The same of dQ, dK and dV, from O and L as they are; each query head with K
 * and V that no other head shares. */
std::vector<exact_row> exact_gradients(const gradient_problem &p);

/* Returns the largest ||row - want|| / ||want||; NaN after an error. Fills
 * these rows with NaNs, so that the next rung must write them. */
double worst_error(const std::vector<exact_row> &rows);

#endif
