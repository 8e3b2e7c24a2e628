/*
 * Exercise 06: which rows of a causal problem each rank owns.
 *
 * docs/ring.md; the next hint: make hint-06 E=zigzag_rows
 */
#ifndef ZIGZAG_ROWS_H
#define ZIGZAG_ROWS_H

#include <stddef.h>

/* Rows first .. first + n - 1. If n is 0, first may have any value. */
typedef struct {
    size_t first, n;
} chunk;

typedef struct {
    chunk part[2];
} owned;

/*
 * Returns the rows of N that rank r of P owns, r = 0 .. P - 1. The rows are cut
 * into 2P consecutive chunks, 0 .. 2P - 1. Rank r owns chunk r, which is
 * part[0], and chunk 2P - 1 - r, which is part[1].
 *
 *   every row has one owner, for any N
 *   the sizes of two chunks differ by at most one row; for N < 2P some chunks
 *   are empty
 *   if 2P divides N, all ranks have the same number of pairs of a query and a
 *   key under a causal mask, with which row i attends to i + 1 keys
 *
 * Ranks do not communicate: each rank computes its rows from N, P and r.
 */
owned zigzag_rows(size_t N, size_t P, size_t r);

#endif
