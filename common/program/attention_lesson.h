/*
 * What `./run` of chapters 04 to 07 shows when it is asked nothing: each step,
 * measured on the bundled layer, and what is to be learnt from that.
 */
#ifndef COMMON_ATTENTION_LESSON_H
#define COMMON_ATTENTION_LESSON_H

#include "common/judge/attention_measure.h"

typedef struct {
    /* What the tables show, in order: steps of the chapters before (NULL
     * ends), then the chapter's own ({0} ends); at most MOST_STEPS. */
    const attention_step *const *before;
    const attention_step *own;
    /* Prints what is to be said before them; NULL: nothing. */
    void (*opening)(void);
    /* Prints the tables of n steps; NULL: those of attention_report.h. With
     * its own, a chapter's steps have a machine's memory, and there is no M. */
    void (*tables)(const measurement m[], size_t n);
    /* Prints what the tables show: m[k] is of their k-th step; M on chip. */
    void (*lesson)(const layer *p, size_t M, const measurement m[]);
    const char *next; /* what to do after it */
} attention_lesson;

/* Returns an exit code. */
int show_lesson(const attention_lesson *shown);

#endif
