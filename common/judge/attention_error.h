/*
 * How far a layer's O is from the truth: the oracle (reference_attention.h)
 * over all heads, once, for any number of steps to be compared with.
 */
#ifndef COMMON_ATTENTION_ERROR_H
#define COMMON_ATTENTION_ERROR_H

#include "common/problem/heads.h"

typedef struct {
    size_t rows;  /* of O, over all heads */
    size_t every; /* rows 0, every, 2 every ... are known; 1: all */
    double *O;    /* those rows, one after another; dv elements each */
} attention_truth;

/*
 * O in float64: all rows, or an even sample of them where all would take more
 * than a fraction of a second; always the same rows of the same problem.
 * Returns 0, or 1 after one line on stderr. truth_free frees.
 */
int truth_of(const layer *p, attention_truth *truth);
void truth_free(attention_truth *truth);

/*
 * ||O - truth|| / ||truth|| over the rows known. NaN if an element is NaN
 * where the truth is not; what is NaN or infinite in both alike is right.
 */
double error_of(const layer *p, const attention_truth *truth);

#endif
