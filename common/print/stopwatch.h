/*
 * Time that only goes forward: double t = stopwatch(); ...; stopwatch() - t.
 */
#ifndef COMMON_STOPWATCH_H
#define COMMON_STOPWATCH_H

#include <time.h>

/* Seconds since some moment that stays the same while the program runs. */
static inline double stopwatch(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
