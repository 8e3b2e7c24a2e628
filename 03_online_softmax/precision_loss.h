/*
 * The precision loss of online softmax: the errors of the steps of chapters 02
 * and 03 against float64, on real and random rows. If `only` is not NULL, the
 * printed tables show only this step and that of chapter 02. The print
 * functions return an exit code.
 */
#ifndef PRECISION_LOSS_H
#define PRECISION_LOSS_H

#include "common/softmax_row.h"

typedef struct {
    const char *name;
    enum { NORMAL, SORTED, UNIFORM, OF_FILE } kind;
    double spread;     /* standard deviation; UNIFORM: the largest |score| */
    const float *file; /* OF_FILE: all rows, contiguous */
    size_t row;        /* OF_FILE: scores of a row of the file */
    uint64_t seed;     /* for all kinds but OF_FILE */
} score_rows;

enum { COMPARED = 3 };
extern const softmax_step *const compared_steps[COMPARED];

typedef struct {
    double
        relative; /* root mean square over the rows of ||y - ref|| / ||ref|| */
    double largest; /* largest |y - ref| */
} row_loss;

enum { LOSS_SEED = 3 };

/* Returns the usual number of rows of n scores: 2^16 / n, within 1 .. 64. */
size_t rows_of_length(size_t n);

/*
 * Sets loss[s] to the error of compared_steps[s] against float64, over `rows`
 * rows of n scores. The scores and y are rounded to the type; the reference
 * uses the unrounded scores. OF_FILE: a row is the first n scores of a row of the
 * file. Stores the relative error of row k and step s in
 * each[k][s], unless `each` is NULL. Returns 0, or 1 after one line on stderr
 * if memory is short.
 */
int softmax_loss(score_rows from, precision type, size_t n, size_t rows,
                 size_t block, row_loss loss[COMPARED],
                 double (*each)[COMPARED]);

/* Prints the table of the bundled scores. Returns an exit code. */
int print_real_scores(const softmax_step *only, size_t block);

/* Prints a table for random rows of 16384 scores: flat, peaked and rising. */
int print_long_rows(const softmax_step *only, size_t block);

/* Prints the plot's data as CSV: rows,storage,step,n,error. */
int print_precision_loss(size_t block);

#endif
