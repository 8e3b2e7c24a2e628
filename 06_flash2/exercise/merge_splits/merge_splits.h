/*
 * Exercise 06: one query, a long list of keys, many workers.
 *
 * docs/06_flash2.md; the next hint: make hint-06 E=merge_splits
 */
#ifndef MERGE_SPLITS_H
#define MERGE_SPLITS_H

#include "common/matrix.h"

/*
 * The keys of a query were split into O.rows parts, and a worker ran
 * FlashAttention-2 on each part. The result of part k is row k of O, which is
 * already divided by the l of the part, and L[k] = m + ln l. m and l themselves
 * are no longer available.
 *
 * Stores the output for all keys in o, which has O.cols elements. Returns the L
 * of all keys.
 *
 *   a part without visible keys has L[k] = -inf, and its row of O may have any
 *   values, also NaN
 *   if no part has visible keys, or O.rows = 0, o is 0 and L is -inf
 *   L[k] may be 10000 or -10000
 *   if any L[k] is NaN, o and L are NaN
 */
float merge_splits(float *o, matrix O, const float *L);

#endif
