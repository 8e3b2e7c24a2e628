/*
 * What a backward step cost, for people and for plots.
 */
#ifndef COMMON_BACKWARD_REPORT_H
#define COMMON_BACKWARD_REPORT_H

#include "common/program/backward_chapter.h"

/* Two tables of n steps: traffic beside its formula and the forward pass's, for
 * those that count it; and what else was counted and measured. */
void backward_report(const backward_measurement m[], size_t n);

/* The header of comma-separated values, and a step's line. */
void backward_csv_header(void);
void backward_csv_line(const layer *l, size_t M, const backward_measurement *m);

#endif
