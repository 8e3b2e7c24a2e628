/*
 * The program that `./run` of chapters 04 to 06 becomes when it is asked
 * anything, and chapter 07's: attention by any of the chapter's steps, over
 * files or random problems; O and L written, lines for plots.
 */
#ifndef COMMON_ATTENTION_PROGRAM_H
#define COMMON_ATTENTION_PROGRAM_H

#include "common/judge/attention_measure.h"
#include "common/program/problem_options.h"

typedef struct {
    const char *about, *example; /* for --help */
    const char *called;          /* NULL: ./run */
    /* What the tables show, in order: steps of the chapters before (NULL
     * ends), then the chapter's own ({0} ends); at most MOST_STEPS. */
    const attention_step *const *before;
    const attention_step *own;
    /* More of its own ({0} ends; NULL: none), that --list and --step know; the
     * tables leave them out. */
    const attention_step *also;
    /* In place of own: its own in BF16 or FP16, as --dtype asks. */
    const attention_step *(*own_in)(precision type);
    size_t reading; /* the one of its own that writes files without --step */
    bool one_query; /* no Br: --bc stands alone */
    /* Leaves out what its steps don't take, and sets other defaults; or NULL. */
    void (*options)(option o[]);
    /* Prints the tables of n steps; NULL: those of attention_report.h. With
     * its own, a chapter's steps have a machine's memory, and there is no M. */
    void (*tables)(const measurement m[], size_t n);
    /* What is shown if nothing is asked (NULL: the tables of the bundled
     * problem), and what --csv alone prints, for plots (NULL: all sweeps, but
     * with tables of its own the bundled problem). Each
     * returns an exit code. */
    int (*lesson)(precision type);
    int (*csv)(precision type);
    /* Prints the toy, step by step; returns an exit code. NULL: a program of
     * its own does, trace/run. */
    int (*trace)(void);
} attention_chapter;

/* The whole program; returns its exit code. */
int attention_program(const attention_chapter *chapter, int argc, char **argv);

/* Is --backward on the command line? */
bool asks_backward(int argc, char **argv);

/* --- Inside: what was asked for -------------------------------------------- */

typedef struct {
    const attention_chapter *chapter;
    precision type;                  /* --dtype's; BF16 */
    const attention_step *own_steps; /* the chapter's own, in that type */
    const attention_step *steps[MOST_STEPS + 1]; /* before, own, also, NULL */
    const char *names[MOST_STEPS + 1];           /* of the steps, NULL */
    size_t own;                                  /* where its own begin */
    size_t also; /* where those begin that tables leave out */
    option o[OPTIONS + 1];
    size_t step; /* --step's, or else the chapter's reading step */
    size_t M;    /* on chip; 0 where the steps have a machine's memory */
} request;

/*
 * Reads the command line and refuses what does not go together. True: go on.
 * False: *status is the exit code, and what there is to say has been said.
 */
bool request_read(request *r, const attention_chapter *chapter, int argc,
                  char **argv, int *status);

/* What n steps were measured to be; truth may be NULL. */
void print_tables(const request *r, const layer *p, const measurement m[],
                  size_t n, const attention_truth *truth);

/* The program of files: O and L written (attention_files.c), or lines of
 * --csv (attention_sweep.c). */
int attention_files(const request *r);
int print_csv(const request *r);

#endif
