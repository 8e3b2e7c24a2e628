/*
 * What a benchmark writes down: for each contender the times of its rounds and
 * its share of the peak that was probed around each, as medians in a table's
 * row and in a line of a .tsv file.
 */
#ifndef LAB_BENCH_RESULT_H
#define LAB_BENCH_RESULT_H

#include <stdio.h>

#include "common/heads.h"
#include "common/report.h"

#define MAX_ROUNDS 31

typedef struct {
    const char *name;
    double seconds[MAX_ROUNDS];
    double share[MAX_ROUNDS]; /* of the peak, probed before and after it */
    double error;
} bench_result;

/* The p-th part of n values, 1/2 the median; sorts them. */
double quantile(double *x, size_t n, double p);
double median_seconds(bench_result *r, size_t rounds);

/* The file's first line. */
void bench_header(FILE *tsv);

/* What r came to on the problem; ratio: to whomever the caller compares with.
 * Returns 0, or 1 and one line on stderr for a figure above the peak. */
int bench_line(FILE *tsv, table *t, const attention_problem *p, bench_result *r,
               size_t rounds, double ratio);

#endif
