/*
 * The program of chapters 04 to 06: attention by any of the chapter's steps,
 * over the bundled data, over files or over random problems.
 */
#ifndef COMMON_ATTENTION_PROGRAM_H
#define COMMON_ATTENTION_PROGRAM_H

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

/* The whole program; returns its exit code. */
int attention_program(const attention_chapter *chapter, int argc, char **argv);

/*
 * The backward pass has a program of its own, backward/run in the folder of
 * this one. Is the command line for that, with --backward among it? Then this
 * one becomes it; become_backward returns only if it cannot: 1 after one line
 * on stderr.
 */
bool asks_backward(int argc, char **argv);
int become_backward(char **argv);

#endif
