/*
 * `./run --backward` of chapter 07.
 */
#ifndef CUDA_BACKWARD_PROGRAM_H
#define CUDA_BACKWARD_PROGRAM_H

#include "common/program/attention_program.h"

extern const way cuda_back;

/* Removes the options that every rung refuses, forward and backward. */
void leave_out_of_07(attention_options *o);

#endif
