/*
 * How the tests of a CUDA exercise use the emulator.
 */
#ifndef EXERCISE_EMULATOR_H
#define EXERCISE_EMULATOR_H

#include "common/testing/run_tests.h"

#include "07_cuda/exercise/finding.h"

/* Turns off the emulator's reports: assert_nothing_found prints the first. */
static void __attribute__((constructor)) find_quietly(void)
{
    cuda_on_cpu_print_findings(0);
}

/* Fails the running test, at the student's line, if the emulator has found a
 * mistake, or if error, a cudaError_t, is not 0. Call cuda_on_cpu_forgive()
 * before the launch. */
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
