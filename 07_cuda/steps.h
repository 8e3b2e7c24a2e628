/*
 * Chapter 07: the rungs of the ladder as attention steps, for the tests and
 * the program that chapters 04-06 have too.
 */
#ifndef CUDA_STEPS_H
#define CUDA_STEPS_H

#include "common/step.h"

#include "07_cuda/emulator/cuda_on_cpu/cuda_on_cpu.h"
#include "07_cuda/rung.h"

/*
 * A layer by one rung, in that type (rung_type). The layer must fit it: no
 * mask, no softcap, d and dv not too wide; else mem->error is MEMORY_REFUSED
 * and mem->message gives the reason. What the emulator counted is booked as
 * ALGORITHM, in elements; on a GPU nothing is counted.
 */
int rung_layer(const rung *r, precision type, const layer *l, memory *mem);

/* What the emulator counted in the rung's last run; on the CPU alone. */
struct cuda_counts rung_counts(const char *name);

/* HBM traffic of the rung by formula, if it has one for each head; all booked
 * as ALGORITHM; of a layer that fits it. */
counts rung_traffic(const rung *r, const layer *l);

/* The rungs that run here as steps, those that can in this type. They count
 * traffic, and know it by their formula, on the CPU alone. Ends with {0}. */
const attention_step *ladder_steps(precision type);

/* That rung's; NULL: it doesn't run here. */
const attention_step *step_of(int rung, precision type);

#endif
