/*
 * Exercise 06: one query, a long list of keys, many workers.
 *
 * docs/06_flash2.md; the next hint: make hint-06 E=merge_splits
 */
#ifndef MERGE_SPLITS_H
#define MERGE_SPLITS_H

#include "common/matrix.h"

/*
 * The keys of a query were split into parts, and each part given to a worker
 * that ran FlashAttention-2 on it. The result of part k is a finished output,
 * row k of O, divided by its own l, and L[k], its logsumexp m + ln l. m and l
 * are no longer available.
 *
 * Stores the output for all keys in o, of O.cols elements. Returns the L of all
 * keys.
 *
 *   a part without visible keys has L[k] = -inf, and its row of O may have any
 *   values, also NaN; if all parts are such, or O.rows = 0, o is 0 and L is
 *   -inf
 *   L may be 10000, or -10000
 *   a NaN in any L[k]: o and L are NaN
 */
float merge_splits(float *o, matrix O, const float *L);

#endif
