/*
 * What does it cost in digits to compute maximum and sum in one pass? Softmax
 * of random rows against float64, by length, kind of row and storage type.
 */
#ifndef PRECISION_LOSS_H
#define PRECISION_LOSS_H

#include <stdbool.h>

#include "common/softmax_row.h"

#define COMPARED 3
extern const softmax_step *const compared_steps[COMPARED]; /* 02's, then 03's */

typedef struct {
    const char *name;
    double sigma; /* standard deviation of the scores */
    int rising;   /* sorted: the maximum grows at every element */
} row_kind;

#define ROW_KINDS 3
extern const row_kind row_kinds[ROW_KINDS]; /* flat, peaked, rising */

/*
 * loss[s]: what compared_steps[s] loses, ||y - ref|| / ||ref||, the root of its
 * mean square over seeded rows of n scores (together 2^16 scores or one row,
 * but at most 64 rows). Scores and y are rounded to the type; ref is of the
 * unrounded scores. Returns 0, or 1 after one line on stderr (no memory).
 */
int precision_loss(row_kind kind, precision type, size_t n, size_t block,
                   double loss[COMPARED]);

/* The plot's data: rows,storage,step,n,error. Gives an exit code. */
int print_precision_loss(size_t block);

/* Is a compared step one to show, with --step's or (NULL) all? The one before
 * the chapter's own always is. */
bool is_shown(const softmax_step *step, const softmax_step *only);

/* The table of random rows of 16384 scores, each kind. An exit code. */
int print_long_rows(const softmax_step *only, size_t block);

#endif
