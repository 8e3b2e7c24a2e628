/*
 * The table of the ladder: what the emulator counts of each rung on a random
 * head. On a GPU nothing is counted, and `make gpu-check` times.
 */
#ifndef CUDA_TABLE_H
#define CUDA_TABLE_H

#include "common/precision.h"

/* Prints the table, the rungs on tensor cores in that type; or the same,
 * comma-separated, with a header: for plots. Return an exit code. */
int table_of_ladder(precision type);
int table_for_plots(precision type);

#endif
