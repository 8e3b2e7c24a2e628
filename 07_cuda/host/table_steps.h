/*
 * The table of the problem at hand: of each rung what the emulator counted,
 * or on a GPU, where nothing is counted, that it is right.
 */
#ifndef CUDA_TABLE_STEPS_H
#define CUDA_TABLE_STEPS_H

#include "common/judge/attention_measure.h"

void table_of_steps(const measurement m[], size_t n);

#endif
