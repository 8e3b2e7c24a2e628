/*
 * What a chapter gives to the program of chapters 04 to 06.
 */
#ifndef COMMON_ATTENTION_CHAPTER_H
#define COMMON_ATTENTION_CHAPTER_H

#include "common/judge/attention_measure.h"

enum { MOST_STEPS = 32 };

typedef struct {
    const char *about, *example; /* for --help */
    /* What the tables show, in order: steps of the chapters before (NULL
     * ends), then the chapter's own ({0} ends); at most MOST_STEPS. */
    const attention_step *const *before;
    const attention_step *own;
    /* In place of own: its own in BF16 or FP16, as --dtype asks. */
    const attention_step *(*own_in)(precision type);
    size_t reading; /* the one of its own that runs without --step */
    bool one_query; /* no Br: --bc stands alone */
    /* Prints the tables of n steps; NULL: those of attention_report.h. With
     * its own, a chapter's steps have a machine's memory, and there is no M. */
    void (*tables)(const measurement m[], size_t n);
    /* Prints what is to be said before them; NULL: nothing. */
    void (*opening)(void);
    /* Prints what the tables show: m[k] is of their k-th step; M on chip. */
    void (*lesson)(const layer *p, size_t M, const measurement m[]);
    /* What --csv alone prints, for plots; NULL: all sweeps. An exit code. */
    int (*csv)(precision type);
    /* Prints the toy, step by step; returns an exit code. */
    int (*trace)(void);
    const char *next; /* what to do after the lesson */
} attention_chapter;

#endif
