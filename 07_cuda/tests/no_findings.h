/*
 * ALSO(the_emulator_found_no_mistake), the last test of a program, fails if the
 * emulator found a mistake in an earlier test. On a GPU it checks nothing.
 */
#ifndef CUDA_NO_FINDINGS_H
#define CUDA_NO_FINDINGS_H

#include "common/testing/run_tests.h"

#include <cuda_on_cpu.h>

static inline void the_emulator_found_no_mistake(void **state)
{
#ifdef CUDA_ON_CPU
    assert_int_equal(cuda_on_cpu_findings(), 0);
#endif
}

#endif
