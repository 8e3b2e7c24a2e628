/*
 * What a benchmark writes down: for each contender the times of its rounds and
 * its share of the peak that was probed around each, as medians in a table's
 * row and in a line of a .tsv file.
 */
#ifndef LAB_BENCH_RESULT_H
#define LAB_BENCH_RESULT_H

#include <stdbool.h>
#include <stdio.h>

#include "common/problem/heads.h"
#include "common/print/report.h"

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

/* What r came to on the problem, a row and a line; ratio: to whomever the
 * caller compares with. A figure above the peak is refused: it has a row that
 * says so, no line, and false is returned. */
bool bench_line(FILE *tsv, table *t, const layer *p, bench_result *r,
                size_t rounds, double ratio);

/* The row of a figure that is refused: its share of what the machine can do. */
void bench_refuse(table *t, const char *name, double share);

/* How many were refused, if any, and why. */
void bench_end(void);

#endif
