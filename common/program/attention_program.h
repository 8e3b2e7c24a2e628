/*
 * The program that `./run` of chapters 04 to 07 is. Asked nothing, it measures
 * each step on the bundled layer, and says what is to be learnt from that;
 * else attention by any of the steps, or its gradients, over files or random
 * problems: O and L or the gradients written, lines for plots.
 */
#ifndef COMMON_ATTENTION_PROGRAM_H
#define COMMON_ATTENTION_PROGRAM_H

#include "common/judge/attention_measure.h"
#include "common/program/problem_options.h"

/* What a chapter gives to it: of the way forward, or of the way back. */
typedef struct {
    const char *about, *example; /* for --help */
    const char *called;          /* NULL: ./run */
    /* What the tables show, in order: steps of the chapters before (NULL
     * ends; or NULL), then the chapter's own ({0} ends); at most MOST_STEPS. */
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
    /* Prints what is to be said before the bundled layer; NULL: nothing. */
    void (*opening)(void);
    /* Prints the tables of n steps; NULL: those of attention_report.h. With
     * its own, steps forward have a machine's memory, and there is no M. */
    void (*tables)(const measurement m[], size_t n);
    /* Prints what the bundled layer's tables show, or NULL: m[k] is of their
     * k-th step; M on chip. Returns an exit code. And what to do after it. */
    int (*lesson)(const layer *p, size_t M, const measurement m[]);
    const char *next;
    /* What --csv alone prints, for plots (NULL: all sweeps, but with tables of
     * its own the bundled problem). Returns an exit code. */
    int (*csv)(precision type);
    /* Prints the toy, step by step; returns an exit code. */
    int (*trace)(void);
} way;

/* The whole program; back is what --backward asks for, or NULL. Returns its
 * exit code. */
int attention_program(const way *forward, const way *back, int argc,
                      char **argv);

/* Is --backward on the command line? */
bool asks_backward(int argc, char **argv);

/* --- Inside: what was asked for -------------------------------------------- */

typedef struct {
    const way *way;
    bool back;
    precision type;                              /* --dtype's; BF16 */
    const attention_step *steps[MOST_STEPS + 1]; /* before, own, also */
    const char *names[MOST_STEPS + 1];           /* of the steps, NULL */
    size_t n;                                    /* of the steps */
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
bool request_read(request *r, const way *asked, int argc, char **argv,
                  int *status);

/* Are O, L or gradients to be written? */
bool asks_outputs(const request *r);

/* The problem asked for (problem_options.h), on the way back with dO. Returns
 * an exit code; backward_free frees, in any case. */
int request_problem(const request *r, const random_sizes *sizes,
                    backward_layer *b);

/* What float64 gives for it. Returns an exit code; truth_free frees. */
int request_truth(const request *r, const backward_layer *b,
                  attention_truth *t);

/* The k-th step on the problem, as measure_forward and measure_backward have it.
 * t: NULL if it is not to be judged, which is for the way forward alone. */
int request_measure(const request *r, const backward_layer *b, size_t k,
                    size_t M, size_t runs, const attention_truth *t,
                    measurement *m);

/* Lines of --csv (attention_sweep.c). */
int print_csv(const request *r);

#endif
