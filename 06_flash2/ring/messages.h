/*
 * Messages: rows of some heads anywhere in an array. An MPI datatype describes
 * their addresses, so no rows are packed or unpacked.
 */
#ifndef RING_MESSAGES_H
#define RING_MESSAGES_H

#include "06_flash2/ring/ranks.h"

typedef struct {
    float *at; /* the first of them */
    MPI_Datatype type;
} piece;

/* n rows of so many floats, of each of `heads` heads, which are N rows long. */
piece rows_at(float *at, size_t heads, size_t n, size_t N, size_t cols);

/* n floats in a row. */
piece floats_at(float *at, size_t n);

/*
 * Begins both: `out` to rank `to`, `in` from rank `from`. Neither is touched
 * until both requests are waited for.
 */
void pass(const rank *me, MPI_Request both[2], piece out, size_t to, piece in,
          size_t from);

/* The same, and waits. */
void exchange(const rank *me, piece out, size_t to, piece in, size_t from);

/* Swaps two buffers: the received one becomes the current one. */
static inline void swap(float **a, float **b)
{
    float *was = *a;

    *a = *b;
    *b = was;
}

#endif
