/*
 * Exercise 06: merge the row that another rank sends into a query's row.
 *
 * docs/ring.md; the next hint: make hint-06 E=merge_ranks
 */
#ifndef MERGE_RANKS_H
#define MERGE_RANKS_H

#include <stddef.h>

/*
 * The keys are on several ranks. The result of some keys for a query is a row
 * of dv + 2 floats, which is sent as one message:
 *
 *   m                 the largest score; -inf if there was no key to attend to
 *   l                 sum e^{s - m}
 *   o_0 .. o_{dv-1}   sum e^{s - m} v, not yet divided by l
 *
 * all and part are such rows, of different keys. Stores the row of both ranks'
 * keys in all, and does not change part.
 *
 *   rows may come in any order, and a row may already be merged from several
 *   ranks: both change only the rounding of all
 *   a rank without keys sends (-inf, 0, 0 ..), and every rank begins with this
 *   row: it changes nothing
 *   m may be 10000, or -10000
 *   a NaN in l or o of either row is not lost. Its m may be -inf, because a
 *   NaN does not compare as larger than -inf
 */
void merge_in(float *all, const float *part, size_t dv);

#endif
