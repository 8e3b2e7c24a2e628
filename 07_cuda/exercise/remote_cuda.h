/*
 * A kernel that runs on the emulator, asked of a worker (remote.h): most take n
 * floats and fill m, and their remote.c is a call of ask_kernel on one side,
 * and of heard_kernel and say_kernel on the other. A worker in which the
 * emulator finds a mistake ends without an answer, and the student reads what
 * was found.
 *
 * The test asks cuda_on_cpu_counts() as ever. The worker may lie about those: a
 * claim about counts is named in remote.c, `counted inside the worker: CLAIM`,
 * and earns nothing.
 */
#ifndef GRADE_REMOTE_CUDA_H
#define GRADE_REMOTE_CUDA_H

#include <stdlib.h>

#include "07_cuda/exercise/finding.h"
#include "tools/grade/remote.h"

static struct cuda_counts counts;
static struct {
    const float *in;
    float *out;
    size_t n, m;
    int error;
} call;

static void kernel_over(void)
{
    GIVE(call.n);
    GIVE(call.m);
    GIVE_ALL(call.in, call.n);
    GIVE_ALL(call.out, call.m);
}

static void kernel_back(void)
{
    TAKE(counts);
    TAKE(call.error);
    TAKE_ALL(call.out, call.m);
}

#ifdef JUDGE
/* more: what else the function is told. */
static int ask_kernel(const float *in, size_t n, float *out, size_t m,
                      const void *more, size_t size)
{
    say(more, size);
    call.in = in;
    call.out = out;
    call.n = n;
    call.m = m;
    kernel_over();
    exchange();
    kernel_back();
    counts.kernel = "the kernel";
    return call.error;
}

/* In place of the emulator's (--wrap), which in the judge runs nothing. */
struct cuda_counts __wrap_cuda_on_cpu_counts(void);
struct cuda_counts __wrap_cuda_on_cpu_counts(void)
{
    return counts;
}
#else
static void heard_kernel(void *more, size_t size)
{
    hear(more, size);
    kernel_over();
    cuda_on_cpu_print_findings(0);
}

static void say_kernel(int error)
{
    if (cuda_on_cpu_findings() > 0) {
        print_finding(stderr);
        exit(1);
    }
    counts = cuda_on_cpu_counts();
    call.error = error;
    kernel_back();
}
#endif

#endif
