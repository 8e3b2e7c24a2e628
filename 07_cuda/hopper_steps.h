/*
 * Chapter 07: the Hopper rungs as attention steps, as steps.h has the others.
 */
#ifndef CUDA_HOPPER_STEPS_H
#define CUDA_HOPPER_STEPS_H

#include "07_cuda/steps.h"

/* In bf16. On the CPU they count traffic, and know it by formula: TMA brings
 * whole tiles of K and V. Ends with {0}. */
const attention_step *hopper_steps(void);

#endif
