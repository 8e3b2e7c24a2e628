/*
 * Exercise 06: merge the row that another rank sends into a query's row.
 *
 * docs/ring.md; the next hint: make hint-06 E=merge_ranks
 */
#ifndef MERGE_RANKS_H
#define MERGE_RANKS_H

#include <stddef.h>

/*
 * The keys of a query are on several ranks. Each rank computes a row of dv + 2
 * floats from its keys, and sends the row as one message:
 *
 *   m                 the largest score; -inf if there was no key to attend to
 *   l                 sum e^{s - m}
 *   o_0 .. o_{dv-1}   sum e^{s - m} v, not yet divided by l
 *
 * all and part are two of these rows, for different keys of the same query.
 * Stores in all the row for the keys of both rows. Does not change part.
 *
 *   rows may arrive in any order, and all and part may be results of merges:
 *   only the rounding of the result depends on that
 *   a rank without keys sends the row (-inf, 0, 0 ..), and the merges of each
 *   rank begin with this row. Merging it with a row changes nothing
 *   m may be 10000 or -10000
 *   if l of all or part is NaN, l of the result is NaN; m of that row may be
 *   -inf, because NaN does not compare as larger
 *   if an o_c of part is NaN, o_c of the result is NaN
 */
void merge_in(float *all, const float *part, size_t dv);

#endif
