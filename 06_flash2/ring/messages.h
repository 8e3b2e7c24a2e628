/*
 * Messages between ranks. A piece is some rows of some heads. An MPI datatype
 * describes their addresses, so rows are sent and received in place.
 */
#ifndef RING_MESSAGES_H
#define RING_MESSAGES_H

#include "06_flash2/ring/ranks.h"

typedef struct {
    float *at;
    MPI_Datatype type;
} piece;

/* Returns n rows of cols floats from each of `heads` heads of N rows. at is the
 * first row. */
piece rows_at(float *at, size_t heads, size_t n, size_t N, size_t cols);

piece floats_at(float *at, size_t n);

/* Begins to send and to receive. Until both requests are complete, the caller
 * must not change `out` and must not access `in`. */
void pass(const rank *me, MPI_Request both[2], piece out, size_t to, piece in,
          size_t from);

/* Like pass, but waits until both requests are complete. */
void exchange(const rank *me, piece out, size_t to, piece in, size_t from);

static inline void swap(float **a, float **b)
{
    float *was = *a;

    *a = *b;
    *b = was;
}

#endif
