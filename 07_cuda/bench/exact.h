/* Compares some rows of a rung's outputs with float64. */
#ifndef CUDA_EXACT_H
#define CUDA_EXACT_H

#include <vector>

#include "07_cuda/backward/gradient_rung.h"

/* A row of an output on the device, and its values in float64. */
struct exact_row {
    void *at;
    precision type;
    std::vector<double> want;
};

/* Computes two rows of O in the first head and two in the last one. Rows are
 * NaN after an error. */
std::vector<exact_row> exact_outputs(const rung_problem &p);

/* Computes two rows each of dQ, dK and dV in the same heads, from O and L of
 * the problem. No two heads may share K and V. */
std::vector<exact_row> exact_gradients(const gradient_problem &p);

/* Returns the largest ||row - want|| / ||want||, or NaN after an error. Fills
 * the rows with NaNs on the device, so that the next rung must write them. */
double worst_error(const std::vector<exact_row> &rows);

#endif
