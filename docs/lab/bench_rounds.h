/*
 * How a benchmark measures: in rounds of probe, contender, probe, contender,
 * ..., so that a machine that slows down slows both. A short run is repeated
 * for as long as a probe takes. What comes out is medians over the rounds; the
 * spread is their middle half over the median. More than the probes found
 * possible would be a mistake in timing, and is refused.
 */
#ifndef LAB_BENCH_ROUNDS_H
#define LAB_BENCH_ROUNDS_H

#include "docs/lab/bench_problem.h"

enum { MOST_CONTENDERS = 24, MOST_ROUNDS = 31 };

typedef struct {
    const char *name;
    const void *step; /* an attention_step */
    double error;
    /* What it came to: */
    double seconds[MOST_ROUNDS]; /* of a run */
    double share[MOST_ROUNDS];   /* of what the probes around it found */
    size_t done;                 /* rounds */
} contender;

typedef struct {
    const char *title;
    const bench_problem *problem;
    double work; /* of a run: FLOPs, or bytes */
    double (*run)(const bench_problem *w, const void *step); /* seconds; < 0 */
    double (*probe)(const bench_problem *w);                 /* work a second */
    double (*error)(const bench_problem *w); /* of the last run */
    double most;                             /* share that is not refused */
    double patience; /* seconds that the rounds of one may take */
    double until;    /* then nothing begins but the first round */
    contender all[MOST_CONTENDERS];
    size_t n;
} race;

/* Takes part, after a run that warms it up and gives its error; nothing happens
 * if that failed. */
void race_join(race *r, const char *name, const void *step);

/* All rounds. */
void race_run(race *r);

/* The p-th part of n values, 1/2 the median; sorts them. */
double quantile(double *x, size_t n, double p);

/* Its median seconds and their spread; and its row, "name|rate|share|ms|spread|
 * error" with the rate in billions a second, unless it is refused: then that,
 * and false. */
double median_seconds(contender *c);
double spread_of(contender *c);
bool race_row(const race *r, contender *c, table *t);

/* How many were refused, if any, and why. */
void print_refused(void);

#endif
