/*
 * malloc and calloc that fail on demand. They replace those of the C library, so only
 * one file of a test program may include this header, and that file must define
 * _GNU_SOURCE first.
 */
#ifndef COMMON_FAILING_MALLOC_H
#define COMMON_FAILING_MALLOC_H

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

/* Allocations before the one that fails. Negative: none fails any more. */
static atomic_long allocations_left = -1;

static void fail_allocation(long n)
{
    atomic_store(&allocations_left, n);
}

/* True if an allocation has failed. */
static bool end_failures(void)
{
    return atomic_exchange(&allocations_left, -1) < 0;
}

/* True if the caller of malloc is an OpenMP library. Not inlined: the first
 * malloc runs before ASan can handle a variable whose address is taken. */
__attribute__((noinline)) static bool is_openmp(const void *caller)
{
    Dl_info of;

    return dladdr(caller, &of) != 0 && of.dli_fname &&
           (strstr(of.dli_fname, "libomp") || strstr(of.dli_fname, "libgomp"));
}

static bool is_failing(const void *caller)
{
    if (atomic_load(&allocations_left) < 0 || is_openmp(caller) ||
        atomic_fetch_sub(&allocations_left, 1) != 0)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    static void *(*real)(size_t);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "malloc");
    return is_failing(__builtin_return_address(0)) ? NULL : real(size);
}

void *calloc(size_t n, size_t size)
{
    static void *(*real)(size_t, size_t);
    static bool looking; /* dlsym may call calloc, and accepts NULL */

    if (looking)
        return NULL;
    if (!real) {
        looking = true;
        *(void **)&real = dlsym(RTLD_NEXT, "calloc");
        looking = false;
    }
    return is_failing(__builtin_return_address(0)) ? NULL : real(n, size);
}

#endif
