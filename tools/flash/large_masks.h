/* Rows whose weights depend on how a large mask is added to the scores: rows
 * whose mask is, for example, -1e9 for each key. In fp32 the sums are rounded to
 * multiples of 64, so all weights are equal. In float64 they are not. */
#ifndef FLASH_LARGE_MASKS_H
#define FLASH_LARGE_MASKS_H

#include "common/head.h"

/*
 * Accepts a right row, no matter how the mask was added. O (Nq x dv) is the
 * head's output by reference_attention, with the sink, and got is the user's.
 * Replaces a row of O by the result of float64, or of fp32 with scores in base
 * 2, if got is nearer to it. If the rounding depends on the last bits of the
 * scores, replaces a row of O by got's if their relative distance is at most
 * `most`, and at most that of weights whose scores differ by the spacing of the
 * sums. Returns 0, or 1 if out of memory.
 */
int accept_large_masks(const head *h, double sink, const float *got,
                       double most, double *O);

/* Returns the largest spacing of a row's sums if the row's weights depend on the
 * last bits of its scores, 0 if no row does, and -1 if out of memory. */
double large_mask_spacing(const head *h);

#endif
