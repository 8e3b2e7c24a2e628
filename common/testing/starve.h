/*
 * Memory that runs out when it is told to, for one test program: the .c file
 * that includes this has a malloc and a calloc of its own, which stand before
 * the C library's. Before all other includes it says #define _GNU_SOURCE.
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

/* The next allocation but n fails, once. */
static inline void starve_after(long n)
{
    atomic_store(&starve_left, n);
}

/* From now on none fails; did one? */
static inline bool starve_end(void)
{
    return atomic_exchange(&starve_left, -1) < 0;
}

/* Not inlined: the first malloc comes before ASan can look after a variable
 * whose address is taken. */
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

/* Allocation 0, 1, ... fails, until there are no more: then the work has failed
 * too, and said "name: ", "memory" (without a name it leaves that to its
 * caller), or it did without, said nothing and is right. */
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
