/*
 * What a chapter gives to `./run --backward`.
 */
#ifndef COMMON_BACKWARD_CHAPTER_H
#define COMMON_BACKWARD_CHAPTER_H

#include "common/judge/backward_measure.h"

enum { MOST_BACKWARD_STEPS = 16 };

typedef struct {
    const char *about;
    /* What the tables show, in order: steps of the chapter before (or NULL),
     * then the chapter's own; each list ends with {0}. */
    const backward_step *before, *own;
    size_t reading; /* the one of its own that writes files without --step */
    /* Prints what the tables show: m[k] is of the k-th step; M on chip. */
    void (*lesson)(const layer *l, size_t M, const backward_measurement m[]);
    /* Prints the toy, visit by visit; returns an exit code. */
    int (*trace)(void);
    const char *next; /* what to do after the lesson */
} backward_chapter;

#endif
