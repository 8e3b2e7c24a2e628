/*
 * Rung 10 on a clock: what its warpgroups did, recorded while the book is made
 * (07_cuda/lab/timeline.c; tools/book/pipeline.awk writes the arrays).
 */
#ifndef BOOK_PIPELINE_H
#define BOOK_PIPELINE_H

#include <stddef.h>

typedef enum { LOADS, PRODUCTS, SOFTMAX } pipeline_kind;

typedef struct {
    int kind, who; /* warpgroup 0 loads; 1 and 2 are consumers A and B */
    const char *label;
    int from, to;
} pipeline_box;

/* When something begins, ends or is done. */
typedef struct {
    int clock;
    const char *roles[6];  /* what each did, and what it does now */
    const char *stages[5]; /* Q, K[0], K[1], V[0], V[1] */
} pipeline_moment;

extern const pipeline_box pipeline_boxes[]; /* in the order of their ends */
extern const size_t pipeline_boxes_n;
extern const pipeline_moment pipeline_moments[];
extern const size_t pipeline_moments_n;

#endif
