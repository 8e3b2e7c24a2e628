/*
 * The lines of the precision lab's table: an experiment, some of the chapters'
 * steps, a kind of problem, and what each step loses on it.
 */
#ifndef LAB_PRECISION_TABLE_H
#define LAB_PRECISION_TABLE_H

#include "docs/lab/problem.h"

/* Which attention steps an experiment takes. */
typedef bool chosen(const attention_step *step);

chosen told_of;       /* those that docs/precision.md tells of */
chosen with_tiles;    /* whose tile sizes may be chosen */
chosen with_storage;  /* that round what they store: not the fast ones */
chosen only_standard; /* standard_attention */

void print_heading(void);

/* Each prints a line for a step. 0, or 1 after one line on stderr. */
int print_attention(const char *experiment, chosen *is_chosen, lab_case c);
int print_softmax(const char *experiment, lab_case c); /* chapters 01-03 */
int print_all(const char *experiment, lab_case c);

#endif
