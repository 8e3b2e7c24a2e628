/*
 * The ladder of the way back as a table (gradient_rung.h).
 */
#include "07_cuda/backward/gradient_rung.h"

const gradient_rung backward_ladder[BACKWARD_RUNGS] = {
    [BACKWARD_atomics] = {FP32, false, 32, 128, false, backward_atomics},
    [BACKWARD_two_kernels] = {FP32, true, 32, 128, false, backward_two_kernels},
    [BACKWARD_tensor_cores] = {BF16, false, 32, 128, false,
                               backward_tensor_cores},
    [BACKWARD_wgmma] = {BF16, true, 64, 128, true, backward_wgmma},
    [BACKWARD_reduce] = {BF16, false, 64, 128, true, backward_reduce},
};
