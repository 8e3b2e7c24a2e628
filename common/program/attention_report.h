/*
 * What was measured, for people: two tables of at most 80 columns.
 */
#ifndef COMMON_ATTENTION_REPORT_H
#define COMMON_ATTENTION_REPORT_H

#include "common/judge/attention_measure.h"
#include "common/print/report.h"

/* "12 heads, 251 queries, ...": the sizes of the problem, and M, if not 0. */
void report_problem(const layer *p, size_t M);

/*
 * Two tables of n steps on one problem: HBM traffic beside its formula, for
 * those that count it, and what else was counted ("-": not) and measured.
 */
void report_steps(const measurement m[], size_t n);

/* The error of a measurement, "-" if it is not known. */
words error_cell(const measurement *m);

/* Of which rows the error is, if not of all. */
void report_truth(const attention_truth *truth);

#endif
