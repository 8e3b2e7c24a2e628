/*
 * Any step over a whole layer.
 */
#ifndef COMMON_HEADS_H
#define COMMON_HEADS_H

#include "common/layer.h"

/*
 * O and L of every head by that step, one head after another, or by the step's
 * own run_layer. Returns mem->error. Afterwards mem->on_chip, scratch and extra
 * are the most that one head (or one thread's job) had, and the counts the sum
 * over the heads. The caller resets mem.
 */
int heads_run(const layer *l, const attention_step *step, memory *mem);

/* Is the step's traffic counted, and known by a formula? */
bool is_counted(const attention_step *step);

/* The step's closed form, over all heads, with M elements on chip. The step
 * must be counted. */
counts heads_formula(const layer *l, const attention_step *step, size_t M);

#endif
