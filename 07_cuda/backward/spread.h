/*
 * How much the order of the terms matters: the same problem, ten times, with
 * blocks and warps in another order each time.
 */
#ifndef CUDA_SPREAD_H
#define CUDA_SPREAD_H

/* Prints a line for each rung; returns an exit code. On the emulator it needs
 * CUDA_ON_CPU_SEED to be set. */
int print_spread(void);

#endif
