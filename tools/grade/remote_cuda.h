/*
 * A kernel that runs on the emulator, asked of a worker (remote.h): remote.c
 * says cuda_back() with what it takes. A worker in which the emulator finds a
 * mistake ends without an answer, and the student reads what was found.
 *
 * The test asks cuda_on_cpu_counts() as ever. The worker may lie about those: a
 * claim about counts is named in remote.c, `counted inside the worker: CLAIM`,
 * and earns nothing.
 */
#ifndef GRADE_REMOTE_CUDA_H
#define GRADE_REMOTE_CUDA_H

#include <stdlib.h>

#include "07_cuda/cuda_on_cpu/cuda_on_cpu.h"
#include "tools/grade/remote.h"

static struct cuda_counts counts;

static void cuda_back(void)
{
#ifndef JUDGE
    if (cuda_on_cpu_findings() > 0)
        exit(1);
    counts = cuda_on_cpu_counts();
#endif
    TAKE(counts);
    counts.kernel = "the kernel";
}

#ifdef JUDGE
struct cuda_counts cuda_on_cpu_counts(void)
{
    return counts;
}

/* The worker looks at everything (CUDA_ON_CPU=full), and prints it. */
void cuda_on_cpu_set_effort(enum cuda_effort effort)
{
    (void)effort;
}

void cuda_on_cpu_print_findings(int print)
{
    (void)print;
}

void cuda_on_cpu_forgive(void)
{
}

size_t cuda_on_cpu_findings(void)
{
    return 0;
}

struct cuda_finding cuda_on_cpu_finding(size_t i)
{
    (void)i;
    return (struct cuda_finding){0};
}
#endif

#endif
