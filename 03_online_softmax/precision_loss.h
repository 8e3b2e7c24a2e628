/*
 * What does it cost in digits to compute maximum and sum in one pass? Softmax
 * of real and of random rows against float64, by chapter 02's step and those of
 * chapter 03: all, or (not NULL) --step's beside chapter 02's. Each returns an
 * exit code.
 */
#ifndef PRECISION_LOSS_H
#define PRECISION_LOSS_H

#include "common/softmax_row.h"

/* A table of the bundled scores. */
int print_real_scores(const softmax_step *only, size_t block);

/* The table of random rows of 16384 scores, each kind. */
int print_long_rows(const softmax_step *only, size_t block);

/* The plot's data, by length, kind of row and storage type:
 * rows,storage,step,n,error. */
int print_precision_loss(size_t block);

#endif
