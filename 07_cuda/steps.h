/* The rungs of the ladder as attention steps (common/step.h). */
#ifndef CUDA_STEPS_H
#define CUDA_STEPS_H

#include "common/step.h"

#include "07_cuda/emulator/cuda_on_cpu/cuda_on_cpu.h"
#include "07_cuda/rung.h"

/* Runs rung r on all heads of a layer, with arrays of this type (rung_type). If
 * the rung does not support the layer, mem->error is MEMORY_REFUSED and
 * mem->message gives the reason. Adds the emulator's counts to mem->counts. */
int rung_layer(const rung *r, precision type, const layer *l, memory *mem);

/* Returns the emulator's counts of the rung's last run. CPU only. */
struct cuda_counts rung_counts(const char *name);

/* The rung must have a closed form (host/steps.c) and support the layer. */
counts rung_traffic(const rung *r, const layer *l);

/* Returns steps for the rungs that this device can run; the last element is
 * {0}. A rung that does not support `type` has its default type. */
const attention_step *ladder_steps(precision type);

/* Returns NULL if this device cannot run the rung. */
const attention_step *step_of(int rung, precision type);

/* Prints the emulator's counts for each rung; table_for_plots prints CSV. Rungs
 * with tensor cores use this type. Both return 0, or exit with status 1 if a
 * rung fails. host/table.c */
int table_of_ladder(precision type);
int table_for_plots(precision type);

#endif
