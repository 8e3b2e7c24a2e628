/*
 * What a backward step cost, for people and for plots.
 */
#ifndef COMMON_BACKWARD_REPORT_H
#define COMMON_BACKWARD_REPORT_H

#include "common/program/backward_chapter.h"

/* Two tables of n steps: traffic beside its formula and the forward pass's, for
 * those that count it; and what else was counted and measured. */
void backward_report(const backward_measurement m[], size_t n);

/* A line of comma-separated values; csv_begin as in attention_report.h. */
void backward_csv_line(const layer *l, size_t M, const backward_measurement *m);

#endif
