/*
 * One forward step on one problem: what it read and wrote, what it took on chip,
 * how far O is from float64, and how long it took.
 */
#ifndef COMMON_LESSON_MEASURE_H
#define COMMON_LESSON_MEASURE_H

#include "common/lesson/problem.h"
#include "common/print/report.h"
#include "common/step.h"

typedef struct {
    const attention_step *step;
    bool done;             /* false if --step named another step */
    tile_sizes tiles;      /* 0, 0 if the step has none */
    counts counted;        /* over all heads */
    counts formula;        /* the same by closed form */
    size_t on_chip, extra; /* elements; the most that one head had */
    bool judged;           /* against float64: is the error known? */
    double error;          /* ||O - truth|| / ||truth|| */
    double seconds;        /* the fastest run's */
} measurement;

/*
 * Runs the step three times on p with p->M elements on chip, and measures it; O
 * and L are those of the last run. Does nothing if p->status is not 0, or if
 * p->only names another step. Sets p->status: 0; 1 for memory; 2 if M is too
 * small for the step; after one line on stderr.
 */
void measure(measurement *m, problem *p, const attention_step *step);

/* As measure, but runs the step that often, and skips the error if not judged. */
void measure_runs(measurement *m, problem *p, const attention_step *step,
                  size_t runs, bool judged);

/* True if the step is to be measured: p->status is 0, and p->only is its name or
 * NULL. */
bool is_wanted(problem *p, const attention_step *step);

/* After all steps: refuses p->only if no step had that name. Returns p->status. */
int check_step(problem *p);

/*
 * O and L of every head by the step, one head after another, or by the step's own
 * run_layer. Returns mem->error. Afterwards mem->on_chip, scratch and extra are
 * the most that one head (or one thread's job) had, and the counts the sum over
 * the heads. The caller resets mem.
 */
int heads_run(const layer *l, const attention_step *step, memory *mem);

/* The step's closed form, over all heads, with M elements on chip. The step must
 * be counted. */
counts heads_formula(const layer *l, const attention_step *step, size_t M);

/*
 * The relative error of O, ||O - truth|| / ||truth||, against float64: of all
 * rows, or of an even sample of them where all would take more than a fraction
 * of a second; always the same rows of the same problem. NaN if an element is
 * NaN where the truth is not; what is NaN or infinite in both alike is right.
 * NaN without memory, after one line on stderr.
 */
double problem_error(problem *p);

/* True if the step failed for lack of M. */
bool is_short_of_M(const attention_step *step, const memory *mem);

/* Prints the line that says why the step failed, and returns an exit code. least:
 * the smallest M that is enough, or 0 if M is not the cause. */
int step_failed(const attention_step *step, const memory *mem, size_t least);

/* --- Tables (tables.c) ------------------------------------------------------ */

/* "12 heads, 251 queries, ..." and an empty line: the sizes; M, if not 0. */
void print_problem(const layer *l, size_t M);

/* Two tables of n steps: HBM traffic next to its formula, and what else was
 * counted ("-": not counted) and measured; then the tiles. */
void print_measured(const measurement m[], size_t n);

/* "Tiles, Br x Bc: flash1 32 x 64; flash2, split_kv 64 x 32.", a step added at a
 * time; one without tiles is left out. */
typedef struct {
    char text[1000];
    size_t used;
    tile_sizes last;
} tiles_line;
void add_tiles(tiles_line *line, const char *name, tile_sizes t);
void print_tiles(const tiles_line *line);

/* Of which rows the error is, if not of all; then an empty line. */
void print_sampled(const problem *p);

/* "1.2e-07", or "-" if it is not known. */
words error_cell(const measurement *m);

/* All elements that crossed HBM for a, divided by those for b. */
double crossed_over(const measurement *a, const measurement *b);

#endif
