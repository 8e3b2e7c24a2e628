/*
 * The counts that an exercise's worker sends with the result, if a kernel ran
 * on the emulator (tools/grade/remote.h). If the emulator found a mistake, the
 * worker prints it for the student and exits without a result.
 *
 * The test calls cuda_on_cpu_counts() as usual. A worker can send false counts:
 * a claim about counts is `counted: CLAIM` for the grader (CONTRIBUTING.md).
 */
#ifndef GRADE_REMOTE_CUDA_H
#define GRADE_REMOTE_CUDA_H

#include <stdlib.h>

#include "07_cuda/exercise/finding.h"
#include "tools/grade/remote.h"

static struct cuda_counts counts;

#if JUDGE
/* Replaces the emulator's function (--wrap): the judge runs no kernel. */
struct cuda_counts __wrap_cuda_on_cpu_counts(void);
struct cuda_counts __wrap_cuda_on_cpu_counts(void)
{
    counts.kernel = "the kernel";
    return counts;
}
#else
static void __attribute__((constructor)) silence(void)
{
    cuda_on_cpu_print_findings(0);
}

static struct cuda_counts counted(void)
{
    if (cuda_on_cpu_findings() > 0) {
        print_finding(stderr); /* no line: addr2line would be a process */
        fputs("make exercise-07 prints the line\n", stderr);
        exit(1);
    }
    return cuda_on_cpu_counts();
}
#endif

#endif
