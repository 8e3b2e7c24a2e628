/*
 * The table of the ladder: the emulator's counts for each rung on a random
 * head. On a GPU nothing is counted; `make gpu-check` measures times there.
 */
#ifndef CUDA_TABLE_H
#define CUDA_TABLE_H

#include "common/precision.h"

/* table_of_ladder prints the table; rungs with tensor cores use that type.
 * table_for_plots prints it as CSV with a header. Both return an exit code. */
int table_of_ladder(precision type);
int table_for_plots(precision type);

#endif
