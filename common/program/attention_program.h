/*
 * The program that `./run` of chapters 04 to 07 is. Asked nothing, it measures
 * each step on the bundled layer, and says what is to be learnt from that;
 * else attention by any of the steps, or its gradients, over files or random
 * problems: O and L or the gradients written, lines for plots.
 */
#ifndef COMMON_ATTENTION_PROGRAM_H
#define COMMON_ATTENTION_PROGRAM_H

#include "common/judge/attention_measure.h"
#include "common/print/report.h"
#include "common/program/options.h"

/* The options, in the order of --help; or as the table that options.h asks for. */
typedef union {
    struct {
        option backward, list, trace, step;
        option q, k, v, mask, sink, block_mask, grad_out;
        option judge_error, judge, judge_lse, judge_q, judge_k, judge_v;
        option out, lse, grad_q, grad_k, grad_v;
        option scale, causal, causal_offset, window, alibi, block_size;
        option softcap, kv_type, br, bc, sram;
        option batch, heads, kv_heads, n, nk, d, dv, seed;
        option sweep, csv, dtype, end;
    };
    option all[45];
} attention_options;

/* Its place in the table. */
#define OPT(name) ((int)(offsetof(attention_options, name) / sizeof(option)))

typedef enum { SWEEP_N, SWEEP_D, SWEEP_SRAM, SWEEP_BR } sweep;

/* What a chapter gives to it: of the way forward, or of the backward pass. */
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
    void (*options)(attention_options *o);
    /* Prints what is to be said before the bundled layer; NULL: nothing. */
    void (*opening)(void);
    /* Prints the tables of n steps; NULL: those of attention_report.c. With
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

/* --- Inside: what was asked for (attention_request.c) ---------------------- */

typedef struct {
    const way *way;
    bool back;
    bool bare;   /* no option at all, or none but --csv (and --dtype) */
    bool files;  /* is the problem in files, */
    bool random; /* or a random one? Neither: the bundled one */
    random_sizes
        sizes; /* of a random one: what isn't given follows from the rest */
    precision type;                              /* --dtype's; BF16 */
    const attention_step *steps[MOST_STEPS + 1]; /* before, own, also */
    const char *names[MOST_STEPS + 1];           /* of the steps, NULL */
    size_t n;                                    /* of the steps */
    size_t own;                                  /* where its own begin */
    size_t also; /* where those begin that tables leave out */
    attention_options o;
    size_t step; /* --step's, or else the chapter's reading step */
    size_t M;    /* on chip; 0 where the steps have a machine's memory */
} request;

/*
 * Reads the command line and refuses what does not go together. True: go on.
 * False: *status is the exit code, and what there is to say has been said.
 */
bool request_read(request *r, const way *asked, int argc, char **argv,
                  int *status);

/* Its program does not have options first .. last. */
void leave_out(attention_options *o, int first, int last);

/*
 * The problem asked for: from files, random (of those sizes, if not NULL), or the
 * bundled one; in the backward pass with dO. Returns an exit code; backward_free
 * frees, in any case.
 */
int request_problem(const request *r, const random_sizes *sizes,
                    backward_layer *b);

/* --- Somebody's output (attention_judge.c) ---------------------------------- */

/* Compares the files of --judge with float64, and tells which of the common
 * mistakes explain what is wrong. Returns 0 right, 1 wrong, 2 cannot. */
int judge(const request *r);

/* --- What was measured (attention_report.c) --------------------------------- */

/* "12 heads, 251 queries, ...": the sizes of the problem, and M, if not 0. */
void report_problem(const layer *p, size_t M);

/*
 * Two tables of n steps on one problem, all forward or all back: HBM traffic
 * beside its formula, for those that count it, and what else was counted ("-":
 * not) and measured.
 */
void report_steps(const measurement m[], size_t n);

/* The error of a measurement, "-" if it is not known. */
words error_cell(const measurement *m);

/*
 * One line for each measurement, and before the first one after csv_begin the
 * header: so that nothing is printed where the problem is refused. Br, Bc are
 * empty for a step without tiles, M if it is unbounded, and what is counted if
 * it is not; with M = 0, of a chapter that has none, also what is counted on
 * chip.
 */
void csv_begin(void);
void csv_line(const layer *p, size_t M, const measurement *m);

#endif
