/*
 * What was measured: for people, two tables of at most 80 columns; for
 * programs, comma-separated values.
 */
#ifndef COMMON_ATTENTION_REPORT_H
#define COMMON_ATTENTION_REPORT_H

#include "common/judge/attention_measure.h"
#include "common/print/report.h"

/* "12 heads, 251 queries, ...": the sizes of the problem, and M, if not 0. */
void report_problem(const layer *p, size_t M);

/*
 * Two tables of n steps on one problem, all forward or all back: HBM traffic
 * beside its formula, for those that count it, and what else was counted ("-":
 * not) and measured.
 */
void report_steps(const measurement m[], size_t n);

/* The error of a measurement, "-" if it is not known. */
words error_cell(const measurement *m);

/*
 * One line for each measurement, and before the first one after csv_begin the
 * header: so that nothing is printed where the problem is refused. Br, Bc are
 * empty for a step without tiles, M if it is unbounded, and what is counted if
 * it is not; with M = 0, of a chapter that has none, also what is counted on
 * chip.
 */
void csv_begin(void);
void csv_line(const layer *p, size_t M, const measurement *m);

#endif
