/*
 * One step on one problem, forward or back: what it read and wrote, what it
 * took on chip, how far off it is and how long it took.
 */
#ifndef COMMON_ATTENTION_MEASURE_H
#define COMMON_ATTENTION_MEASURE_H

#include "common/problem/heads.h"

/* --- How far off: the oracle over all heads, once, for all steps ----------- */

typedef struct {
    size_t rows;  /* of O, over all heads */
    size_t every; /* rows 0, every, 2 every ... are known; 1: all */
    double *O;    /* those rows, one after another; dv elements each */
    size_t heads; /* query heads whose gradients are known, from the first on */
    double *dQ, *dK, *dV; /* of them and of their key heads */
} attention_truth;

/*
 * O in float64: all rows, or an even sample of them where all would take more
 * than a fraction of a second; always the same rows of the same problem. Or the
 * gradients: as many groups of heads as take about a second, or a first one
 * that takes up to a quarter of a minute; perhaps none. Each returns 0, or 1
 * after one line on stderr. truth_free frees.
 */
int truth_of(const layer *p, attention_truth *truth);
int gradient_truth_of(const backward_layer *b, attention_truth *truth);
void truth_free(attention_truth *truth);

/*
 * ||O - truth|| / ||truth|| over the rows known, and so of the gradients, NaN if
 * none is known. NaN if an element is NaN where the truth is not; what is NaN or
 * infinite in both alike is right.
 *
 * gradient_sizes_of: what the distances of gradients are divided by. For dQ and
 * dK it is at least 2^-8 of what their rows would be if dP - D did not cancel: in
 * rows with one key it cancels to 0, and only rounding is left.
 */
double error_of(const layer *p, const attention_truth *truth);
gradient_errors gradient_sizes_of(const backward_layer *b,
                                  const attention_truth *truth);
gradient_errors gradient_errors_of(const backward_layer *b,
                                   const attention_truth *truth);

/* The largest of the three; NaN if one is. */
double worst_gradient_error(gradient_errors e);

/* --- What it cost, and how far off it is ----------------------------------- */

/* The measurement of that kernel, which must be among them. */
const measurement *measured(const measurement m[], attention_fn *kernel);
const measurement *backward_measured(const measurement m[],
                                     backward_fn *kernel);

/* Elements of one account, read and written. */
static inline size_t moved(const counts *c, account b)
{
    return c->read[b] + c->written[b];
}

/* What a table holds at most, and M where nobody asks for another. */
enum { MOST_STEPS = 32, USUAL_M = 8192 };

/*
 * Runs the step `runs` times with M elements on chip; O and L, or the gradients,
 * are those of the last. Forward truth may be NULL: nothing is then judged.
 * Returns 0; 1 for memory; 2 if M is too small for the step: after one line on
 * stderr.
 */
int measure_forward(const layer *p, const attention_step *step, size_t M,
                    size_t runs, const attention_truth *truth, measurement *m);
int measure_backward(const backward_layer *b, const attention_step *step,
                     size_t M, size_t runs, const attention_truth *truth,
                     measurement *m);

#endif
