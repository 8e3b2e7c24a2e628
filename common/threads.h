/*
 * Independent jobs on all cores. With OpenMP the jobs go to threads as they
 * become free; without it they run one after another, to the same result.
 */
#ifndef COMMON_THREADS_H
#define COMMON_THREADS_H

#include "common/memory.h"

/* Job number i of n, with memory of its own; returns mem->error. */
typedef int thread_job(const void *job, size_t i, memory *mem);

/*
 * Runs jobs 0 .. n - 1, each thread with its own memory of mem->M elements on
 * chip, reset after every job. Adds their counts to mem's. mem's tiles and
 * scratch become the most that one job had, if that is more: a chip is one
 * thread's. Its extra grows by the most that one job had. Returns mem->error,
 * which is the first one met.
 */
int run_on_threads(thread_job *run, const void *job, size_t n, memory *mem);

/* Threads that the next run uses at most: OMP_NUM_THREADS, or all cores; never
 * more than 1024. */
size_t thread_count(void);

/* Those that are worth starting for so many jobs, at least 1. */
size_t threads_for(size_t jobs);

/* From now on use n threads, n >= 1 (without OpenMP it stays one). */
void use_threads(size_t n);

#endif
