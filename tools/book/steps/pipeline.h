/*
 * Rung 10 on a clock: what its warpgroups did, recorded while the book is made
 * (07_cuda/lab/timeline.c; tools/book/pipeline.awk writes the arrays).
 */
#ifndef BOOK_PIPELINE_H
#define BOOK_PIPELINE_H

#include <stddef.h>

typedef enum { LOADS, PRODUCTS, SOFTMAX } pipeline_kind;

/* Warpgroup 0 loads; 1 and 2 are consumers A and B. */
typedef struct {
    int clock, who;
    const char *what, *name; /* as the emulator's trace calls it */
} pipeline_event;

typedef struct {
    int kind, who;
    const char *label;
    int from, to;
} pipeline_box;

extern const pipeline_event pipeline_events[];
extern const size_t pipeline_events_n;
extern const pipeline_box pipeline_boxes[]; /* in the order of their ends */
extern const size_t pipeline_boxes_n;

/* At how many different clocks something begins, ends or is done. */
size_t pipeline_moments(void);

#endif
