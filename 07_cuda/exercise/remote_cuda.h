/*
 * What an exercise's worker says beside the result, where a kernel ran on the
 * emulator (tools/grade/remote.h). If a mistake was found there the worker ends
 * without an answer, and the student reads what it was.
 *
 * The test asks cuda_on_cpu_counts() as ever. The worker may lie about those: a
 * claim about counts is `counted: CLAIM` for the grader (CONTRIBUTING.md).
 */
#ifndef GRADE_REMOTE_CUDA_H
#define GRADE_REMOTE_CUDA_H

#include <stdlib.h>

#include "07_cuda/exercise/finding.h"
#include "tools/grade/remote.h"

static struct cuda_counts counts;

#if JUDGE
/* In place of the emulator's (--wrap), which in the judge runs nothing. */
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
        print_finding(stderr); /* addr2line would be another process */
        fputs("make exercise-07 names the line\n", stderr);
        exit(1);
    }
    return cuda_on_cpu_counts();
}
#endif

#endif
