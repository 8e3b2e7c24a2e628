/* Runs independent jobs on threads. Without OpenMP the jobs run in turn. */
#ifndef COMMON_THREADS_H
#define COMMON_THREADS_H

#include "common/memory.h"

/* Runs job i with tiles allocated from mem. Returns mem->error. */
typedef int thread_job(const void *job, size_t i, memory *mem);

/* Runs jobs 0 .. n - 1. Each thread has its own memory of mem->M elements on
 * chip, as if it had its own chip, and resets it after every job. Adds all
 * counts to mem->counts. Raises mem->on_chip and mem->scratch to the largest
 * value of a job. Adds the largest extra memory of a job to mem->extra. Returns
 * mem->error: 0, or the error of one of the jobs. */
int run_on_threads(thread_job *run, const void *job, size_t n, memory *mem);

/* Returns the largest number of threads of the next run, at most 1024: that of
 * use_threads, else of OMP_NUM_THREADS, else the number of cores. Returns 1
 * without OpenMP and in a forked process. */
size_t thread_count(void);

/* Returns the number of threads to start for these jobs, at least 1. */
size_t threads_for(size_t jobs);

/* Sets the number of threads of later runs. Has no effect without OpenMP. */
void use_threads(size_t n);

/* Only one thread at a time is between these two calls. Unlike OpenMP's
 * `critical`, the lock is free in a forked process. */
void threads_lock(void);
void threads_unlock(void);

#endif
