/* Runs a forward step on all heads of a layer. */
#ifndef COMMON_LESSON_HEADS_H
#define COMMON_LESSON_HEADS_H

#include "common/step.h"

/* Computes O and L of every head, by the step's run_layer or else one head
 * after another. Returns mem->error. Afterwards mem->on_chip, scratch and extra
 * are the largest of a head (or of a thread's job), and the counts are the sum
 * over the heads. The caller resets mem. */
int heads_run(const layer *l, const attention_step *step, memory *mem);

/* Like heads_run, but always one head after another by step_run. */
int run_in_turn(const layer *l, const attention_step *step, memory *mem);

/* Returns the HBM traffic of all heads by the step's closed form, for M
 * elements on chip. is_counted(step) must be true. */
counts heads_formula(const layer *l, const attention_step *step, size_t M);

#endif
