/*
 * Which tiles of queries and keys a kernel visits, in what order, and what
 * has crossed HBM after each visit: written down while the kernel itself runs.
 */
#ifndef BOOK_TILE_STEPS_H
#define BOOK_TILE_STEPS_H

#include "common/gradients.h"

enum { MOST_VISITS = 4096 };

typedef struct {
    uint32_t i0, i1, j0, j1;            /* queries i0 .. i1, keys j0 .. j1 */
    uint32_t has_Q, has_K, wrote;       /* what this visit has done so far */
    uint32_t wrote_rows, wrote_columns; /* O or dQ; dK and dV */
    double read, written; /* elements so far, the algorithm's book */
} tile_visit;

typedef struct {
    size_t n;
    tile_visit visit[MOST_VISITS];
    size_t visits; /* more than n if they are too many to be written down */
    tile_sizes tiles;
    double crossed[2];                  /* so far: elements loaded, stored */
    double read[BOOKS], written[BOOKS]; /* at the end */
    double formula;                     /* the algorithm's, read and written */
    double on_chip;                     /* elements of the largest tiles */
    char error[160];                    /* "" if all went well */
    bool back;                          /* a backward pass */
    const gradients *g;                 /* while it runs */
    const memory *mem;
} tile_steps;

/* Runs the step, or the backward step if there is one, on N queries and keys of
 * d elements, with M on chip. */
void tile_steps_of(tile_steps *all, const attention_step *step,
                   const backward_step *back, size_t N, size_t d, size_t M);

#endif
