/*
 * The program of chapters 04 to 06: attention by any of the chapter's steps,
 * over the bundled data, over files or over random problems.
 */
#ifndef COMMON_ATTENTION_PROGRAM_H
#define COMMON_ATTENTION_PROGRAM_H

#include "common/judge/attention_measure.h"
#include "common/problem/attention_arrays.h"
#include "common/program/options.h"

enum { MOST_STEPS = 32 };

typedef struct {
    const char *about, *example; /* for --help */
    /* What the tables show, in order: steps of the chapters before (NULL
     * ends), then the chapter's own ({0} ends); at most MOST_STEPS. */
    const attention_step *const *before;
    const attention_step *own;
    /* More of its own ({0} ends; NULL: none), that --list and --step know; the
     * tables leave them out. */
    const attention_step *also;
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
    /* Prints the toy, step by step; returns an exit code. NULL: a program of
     * its own does, trace/run. */
    int (*trace)(void);
    const char *next; /* what to do after the lesson */
} attention_chapter;

/* The whole program; returns its exit code. */
int attention_program(const attention_chapter *chapter, int argc, char **argv);

/* Is --backward on the command line? */
bool asks_backward(int argc, char **argv);

/* --- Inside: a command line, and the problem that it asks for -------------- */

enum {
    OPT_LIST,
    OPT_TRACE,
    OPT_STEP,
    OPT_Q,
    OPT_K,
    OPT_V,
    OPT_MASK,
    OPT_OUT,
    OPT_LSE,
    OPT_SCALE,
    OPT_CAUSAL,
    OPT_CAUSAL_OFFSET,
    OPT_WINDOW,
    OPT_ALIBI,
    OPT_SOFTCAP,
    OPT_BR,
    OPT_BC,
    OPT_SRAM,
    OPT_BATCH,
    OPT_HEADS,
    OPT_KV_HEADS,
    OPT_N,
    OPT_NK,
    OPT_D,
    OPT_DV,
    OPT_SEED,
    OPT_SWEEP,
    OPT_CSV,
    OPT_DTYPE, /* the last: not every chapter has it */
    OPTIONS
};

typedef enum { SWEEP_N, SWEEP_D, SWEEP_SRAM, SWEEP_BR, SWEEPS } sweep;

typedef struct {
    const attention_chapter *chapter;
    precision type;                  /* --dtype's; BF16 */
    const attention_step *own_steps; /* the chapter's own, in that type */
    const attention_step *steps[MOST_STEPS + 1]; /* before, own, also, NULL */
    const char *names[MOST_STEPS + 1];           /* of the steps, NULL */
    size_t own;                                  /* where its own begin */
    size_t also; /* where those begin that tables leave out */
    option o[OPTIONS + 1];
    bool bare; /* no option at all, or none but --csv and --dtype */
    bool from_files, random; /* neither: the bundled problem */
    size_t step;             /* --step's, or else the chapter's reading step */
    size_t M;                /* --sram, or unbounded if the tiles are given */
    random_sizes sizes;      /* what is not given follows from what is */
} request;

/*
 * Reads the command line and refuses what does not go together. True: go on.
 * False: *status is the exit code, and what there is to say has been said.
 */
bool request_read(request *r, const attention_chapter *chapter, int argc,
                  char **argv, int *status);

/* Of a command line that was read: 0, or an exit code after one line on stderr
 * about what does not go together, or outputs that cannot be written. */
int request_check(const request *r);

/*
 * The problem: from files, random (of those sizes, if sizes is not NULL), or
 * the bundled one; with the mask, scale, causal limit, softcap and tile sizes
 * asked for. Returns an exit code. arrays_free frees, in any case.
 */
int request_problem(const request *r, const random_sizes *sizes,
                    attention_arrays *a);

/* The header and the lines that --csv asks for; alone, those of all sweeps,
 * which the plots are drawn from (attention_sweep.c). Returns an exit code. */
int print_csv(const request *r);

#endif
