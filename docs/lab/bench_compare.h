/*
 * What lanes bring on one thread, and what threads bring without them: both
 * over flash2, at one shape, in rounds of their own.
 */
#ifndef LAB_BENCH_COMPARE_H
#define LAB_BENCH_COMPARE_H

/* Prints both. No round begins after `until`, but for the first. Returns 0, or
 * 1 after one line on stderr. */
int bench_compare(double until);

#endif
