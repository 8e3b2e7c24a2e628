/*
 * Allocation failures on demand, for one test program. The .c file that
 * includes this defines malloc and calloc, which replace the C library's. It
 * needs #define _GNU_SOURCE before all other includes.
 */
#ifndef COMMON_STARVE_H
#define COMMON_STARVE_H

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

static atomic_long starve_left = -1; /* allocations until one fails */

/* Lets n allocations succeed; the next one fails, once. */
static inline void starve_after(long n)
{
    atomic_store(&starve_left, n);
}

/* Ends the failures. True if an allocation failed. */
static inline bool starve_end(void)
{
    return atomic_exchange(&starve_left, -1) < 0;
}

/* Not inlined: the first malloc comes before ASan can handle a variable whose
 * address is taken. */
__attribute__((noinline)) static bool is_openmp(const void *caller)
{
    Dl_info of;

    return dladdr(caller, &of) != 0 && of.dli_fname &&
           (strstr(of.dli_fname, "libomp") || strstr(of.dli_fname, "libgomp"));
}

static bool starve_now(const void *caller)
{
    if (atomic_load(&starve_left) < 0 || is_openmp(caller) ||
        atomic_fetch_sub(&starve_left, 1) != 0)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    static void *(*next)(size_t);

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "malloc");
    return starve_now(__builtin_return_address(0)) ? NULL : next(size);
}

void *calloc(size_t n, size_t size)
{
    static void *(*next)(size_t, size_t);
    static bool looking; /* dlsym may ask for memory, and do without */

    if (looking)
        return NULL;
    if (!next) {
        looking = true;
        *(void **)&next = dlsym(RTLD_NEXT, "calloc");
        looking = false;
    }
    return starve_now(__builtin_return_address(0)) ? NULL : next(n, size);
}

/* Runs work with a failure of allocation 0, 1, ... until none is left. Each
 * time, work must fail and print one line "name: ...memory..." (nothing without
 * a name), or succeed and print nothing. */
static inline void assert_starves(int work(void), const char *name)
{
    size_t failures = 0;
    bool starved = true;

    for (long n = 0; starved; n++) {
        int failed;

        assert_true(n < 1000);
        hear();
        starve_after(n);
        failed = work();
        starved = starve_end();
        assert_in_range(failed, 0, 1);
        if (failed && name)
            assert_said_line(name, "emory");
        else
            assert_said_nothing();
        assert_true(starved || !failed);
        failures += failed != 0;
    }
    assert_true(failures > 0);
}

#endif
