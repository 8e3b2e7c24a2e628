/*
 * What was measured, for programs: comma-separated values.
 */
#ifndef COMMON_ATTENTION_CSV_H
#define COMMON_ATTENTION_CSV_H

#include "common/judge/attention_measure.h"

/*
 * One line for each measurement after csv_header. Br, Bc are empty for a step
 * without tiles, M if it is unbounded, and what is counted if it is not; with
 * M = 0, of a chapter that has none, also what is counted on chip.
 */
void csv_header(void);
void csv_line(const layer *p, size_t M, const measurement *m);

#endif
