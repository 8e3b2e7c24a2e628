/* Functions for the tests of a CUDA exercise, which run on the emulator. */
#ifndef EXERCISE_EMULATOR_H
#define EXERCISE_EMULATOR_H

#include "common/testing/run_tests.h"

#include "07_cuda/exercise/finding.h"

/* Fails the running test if the emulator has found a mistake, or if error, a
 * cudaError_t, is not 0. The failure has the line of the student's mistake.
 * Also fails if the kernel has stored data where it would not be counted. */
static inline void assert_nothing_found(int error)
{
    if (cuda_on_cpu_findings()) {
        struct cuda_finding f = cuda_on_cpu_finding(0);
        char file[200];

        snprintf(file, sizeof file, "%s", f.file);
        print_finding(stderr);
        cuda_on_cpu_forgive(); /* the next test must not fail for it */
        _fail(file, f.line);
    }
    assert_int_equal(error, 0);
    if (cuda_on_cpu_counts().variables)
        fail_msg("%llu bytes were stored to __device__ variables or to memory "
                 "from malloc: use registers and shared memory",
                 (unsigned long long)cuda_on_cpu_counts().variables);
}

#endif
