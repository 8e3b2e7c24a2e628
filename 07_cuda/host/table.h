/*
 * The table of the ladder, with the emulator's counts for each rung. A GPU
 * counts nothing; `make gpu-check` measures times there.
 */
#ifndef CUDA_TABLE_H
#define CUDA_TABLE_H

#include "common/precision.h"

/* table_for_plots prints CSV. Rungs with tensor cores use this type. Both
 * return 0, or exit with status 1 if a rung fails. */
int table_of_ladder(precision type);
int table_for_plots(precision type);

#endif
