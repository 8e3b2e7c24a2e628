/*
 * Runs a forward step on all heads of a layer.
 */
#ifndef COMMON_LESSON_HEADS_H
#define COMMON_LESSON_HEADS_H

#include "common/step.h"

/* Computes O and L of every head by the step, one head after another, or by the
 * step's run_layer. Returns mem->error. Afterwards mem->on_chip, scratch and
 * extra are the most that one head (or one thread's job) used, and the counts
 * are the sum over the heads. The caller resets mem. */
int heads_run(const layer *l, const attention_step *step, memory *mem);

/* The same, one head after another by step_run. */
int run_in_turn(const layer *l, const attention_step *step, memory *mem);

/* Returns the step's closed form of the traffic of all heads, with M elements
 * on chip. The step must be counted. */
counts heads_formula(const layer *l, const attention_step *step, size_t M);

#endif
