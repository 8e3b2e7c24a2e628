/*
 * Grading of an exercise whose kernel runs on the emulator
 * (tools/grade/remote.h). The worker process runs the student's kernel and
 * sends the emulator's counts with the result. If the emulator found a mistake,
 * the worker prints it for the student and exits without a result.
 *
 * In the judge process cuda_on_cpu_counts() returns the counts that were sent.
 * A worker can send false counts. So a test of counts must be listed as
 * `counted: TEST` for the grader (CONTRIBUTING.md).
 */
#ifndef GRADE_REMOTE_CUDA_H
#define GRADE_REMOTE_CUDA_H

#include <stdlib.h>

#include "07_cuda/exercise/finding.h"
#include "tools/grade/remote.h"

static struct cuda_counts counts;

#if JUDGE
/* The linker option --wrap replaces the emulator's function by this one,
 * because the judge runs no kernel. */
struct cuda_counts __wrap_cuda_on_cpu_counts(void);
struct cuda_counts __wrap_cuda_on_cpu_counts(void)
{
    counts.kernel = "the kernel";
    return counts;
}
#else
static struct cuda_counts counted(void)
{
    if (cuda_on_cpu_findings() > 0) {
        print_finding(stderr); /* without its line: addr2line needs a process */
        fputs("make exercise-07 prints the line\n", stderr);
        exit(1);
    }
    return cuda_on_cpu_counts();
}
#endif

#endif
