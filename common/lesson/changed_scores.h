/*
 * What steps of softmax make of real scores (bundled_scores.h) that are
 * changed, most of them by a number that should change no weight.
 */
#ifndef COMMON_CHANGED_SCORES_H
#define COMMON_CHANGED_SCORES_H

#include "common/softmax_row.h"

/*
 * Prints "TITLE: R rows of N", and for each change and each of the steps (NULL
 * ends) the rows lost, the passes and the error of the rest; of a single step
 * with the lowest and the highest score. Returns an exit code.
 */
int print_changed_scores(const char *title, const softmax_step *const steps[]);

#endif
