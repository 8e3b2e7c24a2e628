/*
 * The ladder of the way back as a table (gradient_rung.h).
 */
#include "07_cuda/backward/gradient_rung.h"

const gradient_rung backward_ladder[BACKWARD_RUNGS] = {
    [BACKWARD_atomics] = {FP32, false, 128, backward_atomics},
    [BACKWARD_two_kernels] = {FP32, true, 128, backward_two_kernels},
    [BACKWARD_tensor_cores] = {BF16, false, 128, backward_tensor_cores},
};
