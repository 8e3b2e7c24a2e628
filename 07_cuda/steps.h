/*
 * Chapter 07: the rungs of the ladder as attention steps, for the tests and
 * the program that chapters 04-06 have too.
 */
#ifndef CUDA_STEPS_H
#define CUDA_STEPS_H

#include "common/head.h"

#include "07_cuda/rung.h"

/*
 * All heads by one rung. They must fit it: no mask, no softcap, d and dv at
 * most 128; else mem->error is MEMORY_REFUSED and mem->message says why. What the emulator
 * counted is booked as ALGORITHM, in elements; on a GPU nothing is counted.
 */
int rung_step(const rung *r, precision type, const head heads[], size_t n,
              memory *mem);

/* HBM traffic of the rung by formula, all booked as ALGORITHM: chapter 05's
 * of flash1 or chapter 06's of flash2, with d and dv as padded. */
counts rung_traffic(const rung *r, const head *h);

/* The rungs as steps: fp32 ones as they are, the others in this type. They
 * count traffic, and know it by formula, on the CPU alone. Ends with {0}. */
const attention_step *ladder_steps(precision type);

#endif
