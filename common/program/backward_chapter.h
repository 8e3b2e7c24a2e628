/*
 * What a chapter gives to `./run --backward`.
 */
#ifndef COMMON_BACKWARD_CHAPTER_H
#define COMMON_BACKWARD_CHAPTER_H

#include "common/judge/backward_measure.h"
#include "common/program/options.h"

enum { MOST_BACKWARD_STEPS = 16 };

typedef struct {
    const char *about;
    const char *example; /* for --help; NULL: ./run's */
    /* What the tables show, in order: steps of the chapter before (or NULL),
     * then the chapter's own; each list ends with {0}. */
    const backward_step *before, *own;
    size_t reading; /* the one of its own that writes files without --step */
    /* Leaves out what its steps don't take, and sets other defaults; or NULL. */
    void (*options)(option o[]);
    /* Prints the tables of n steps; NULL: those of backward_report.h. */
    void (*tables)(const backward_measurement m[], size_t n);
    /* Prints what the tables show: m[k] is of the k-th step; M on chip. */
    void (*lesson)(const layer *l, size_t M, const backward_measurement m[]);
    /* Prints the toy, visit by visit; returns an exit code. */
    int (*trace)(void);
    const char *next; /* what to do after the lesson */
} backward_chapter;

#endif
