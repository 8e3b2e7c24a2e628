/* Functions for the tests of a CUDA exercise, which run on the emulator. */
#ifndef EXERCISE_EMULATOR_H
#define EXERCISE_EMULATOR_H

#include "common/testing/run_tests.h"

#include "07_cuda/exercise/finding.h"

/* Turns off the emulator's own reports. */
static void __attribute__((constructor)) find_quietly(void)
{
    cuda_on_cpu_print_findings(0);
}

/* Fails the running test if the emulator has found a mistake, or if error, a
 * cudaError_t, is not 0. The failure has the line of the student's mistake.
 * Call cuda_on_cpu_forgive() before the launch: it removes earlier findings. */
static inline void assert_nothing_found(int error)
{
    if (cuda_on_cpu_findings()) {
        struct cuda_finding f = cuda_on_cpu_finding(0);

        print_finding(stderr);
        _fail(f.file, f.line);
    }
    assert_int_equal(error, 0);
}

#endif
