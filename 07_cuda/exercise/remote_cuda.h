/*
 * What an exercise's worker says beside the result, where a kernel ran on the
 * emulator (tools/grade/remote.h). If a mistake was found there the worker ends
 * without an answer, and the student reads what it was.
 *
 * The test asks cuda_on_cpu_counts() as ever. The worker may lie about those: a
 * claim about counts is named in remote.txt, `counted inside the worker: CLAIM`,
 * and earns nothing.
 */
#ifndef GRADE_REMOTE_CUDA_H
#define GRADE_REMOTE_CUDA_H

#include <stdlib.h>

#include "07_cuda/exercise/finding.h"
#include "tools/grade/remote.h"

static struct cuda_counts counts;

#ifdef JUDGE
static void cuda_answers(void)
{
    BACK(counts);
    counts.kernel = "the kernel";
}

/* In place of the emulator's (--wrap), which in the judge runs nothing. */
struct cuda_counts __wrap_cuda_on_cpu_counts(void);
struct cuda_counts __wrap_cuda_on_cpu_counts(void)
{
    return counts;
}
#else
static void cuda_answers(void)
{
    if (cuda_on_cpu_findings() > 0) {
        print_finding(stderr);
        exit(1);
    }
    counts = cuda_on_cpu_counts();
    BACK(counts);
}
#endif

#endif
