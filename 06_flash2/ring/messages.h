/*
 * Messages: a piece has rows of some heads of an array. An MPI datatype
 * describes their addresses, so no rows are packed or unpacked.
 */
#ifndef RING_MESSAGES_H
#define RING_MESSAGES_H

#include "06_flash2/ring/ranks.h"

typedef struct {
    float *at; /* the first float */
    MPI_Datatype type;
} piece;

/* Returns n rows of cols floats of each of `heads` heads; a head has N rows. */
piece rows_at(float *at, size_t heads, size_t n, size_t N, size_t cols);

/* Returns n contiguous floats. */
piece floats_at(float *at, size_t n);

/*
 * Begins to send `out` to rank `to` and to receive `in` from rank `from`. The
 * caller must not access them until it has waited for both requests.
 */
void pass(const rank *me, MPI_Request both[2], piece out, size_t to, piece in,
          size_t from);

/* Like pass, and waits for both. */
void exchange(const rank *me, piece out, size_t to, piece in, size_t from);

/* Swaps two buffers: the received one becomes the current one. */
static inline void swap(float **a, float **b)
{
    float *was = *a;

    *a = *b;
    *b = was;
}

#endif
