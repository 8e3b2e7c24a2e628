/*
 * Chapter 07: the rungs of the ladder as attention steps, for the same tests
 * and programs as the steps of chapters 04 to 06.
 */
#ifndef CUDA_STEPS_H
#define CUDA_STEPS_H

#include "common/step.h"

#include "07_cuda/emulator/cuda_on_cpu/cuda_on_cpu.h"
#include "07_cuda/rung.h"

/*
 * Runs a layer by one rung, in that type (rung_type). If the rung cannot run it
 * (a mask, a softcap, d or dv too wide), mem->error is MEMORY_REFUSED and
 * mem->message gives the reason. Adds the emulator's counts to mem as
 * ALGORITHM, in elements; on a GPU nothing is counted. Returns mem->error.
 */
int rung_layer(const rung *r, precision type, const layer *l, memory *mem);

/* Returns the emulator's counts of the rung's last run. Only on the CPU. */
struct cuda_counts rung_counts(const char *name);

/* Returns the HBM traffic of the rung by its closed form, which it must have,
 * as ALGORITHM. The rung must be able to run the layer. */
counts rung_traffic(const rung *r, const layer *l);

/* Returns the rungs that run here as steps, in this type if they have it; ends
 * with {0}. Only on the CPU do they count traffic and have a formula. */
const attention_step *ladder_steps(precision type);

/* Returns the step of that rung, or NULL if it does not run here. */
const attention_step *step_of(int rung, precision type);

#endif
