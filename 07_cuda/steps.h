/* The rungs of the ladder as attention steps (common/step.h). */
#ifndef CUDA_STEPS_H
#define CUDA_STEPS_H

#include "common/step.h"

#include <cuda_on_cpu.h>
#include "07_cuda/rung.h"

/* Runs rung r on all heads of a layer, with arrays of `type` (rung_type). Adds
 * the emulator's counts to mem->counts. Returns mem->error: MEMORY_REFUSED,
 * with the reason in mem->message, if the rung does not support l. */
int rung_layer(const rung *r, precision type, const layer *l, memory *mem);

/* Returns the number of the rung, such as "5a". */
const char *rung_number(const char *name);

/* Returns the emulator's counts of the rung's last run. CPU only. */
struct cuda_counts rung_counts(const char *name);

/* Returns the bytes that the rung `only` needs on the host for a head, or if
 * `only` is NULL, the largest number of a rung. */
double ladder_bytes(const head *h, const char *only);

/* Returns the HBM traffic by closed form. The rung must have one (host/steps.c)
 * and support the layer. */
counts rung_traffic(const rung *r, const layer *l);

/* Returns steps for the rungs that this device can run; the last element is
 * {0}. A rung that does not support `type` has its default type. */
const attention_step *ladder_steps(precision type);

/* Returns NULL if this device cannot run the rung. */
const attention_step *step_of(int rung, precision type);

/* Prints the emulator's counts for each rung that runs here; table_for_plots
 * prints CSV, for d = 64 and 128. Rungs that support `type` use it. Both return 0, or exit with
 * status 1 if a rung fails. host/table.c */
int table_of_ladder(precision type);
int table_for_plots(precision type);

#endif
