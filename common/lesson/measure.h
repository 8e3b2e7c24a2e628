/*
 * Measures one forward step on one problem: traffic, on-chip memory, error of O
 * against float64, and time.
 */
#ifndef COMMON_LESSON_MEASURE_H
#define COMMON_LESSON_MEASURE_H

#include "common/lesson/problem.h"
#include "common/print/report.h"
#include "common/step.h"

typedef struct {
    const attention_step *step;
    bool done;             /* false if another step was named, or one failed */
    tile_sizes tiles;      /* 0, 0 if the step has none */
    counts counted;        /* over all heads */
    counts formula;        /* the same by closed form */
    size_t on_chip, extra; /* elements; the most that one head used */
    bool judged;           /* true if error is known, against float64 */
    double error;          /* ||O - truth|| / ||truth|| */
    double seconds;        /* the fastest run's */
} measurement;

/* Runs the step three times on p with p->M elements on chip, and measures it; O
 * and L are those of the last run. Only empties *m if p->status is not 0, or if
 * p->only names another step. Sets p->status: 0; 1 for memory; 2 if M is too
 * small for the step; after one line on stderr. */
void measure(measurement *m, problem *p, const attention_step *step);

/* Like measure, with the given number of runs; computes the error only if
 * judged. */
void measure_runs(measurement *m, problem *p, const attention_step *step,
                  size_t runs, bool judged);

/* Records the name for the message of check_step_name. True if the step is to
 * be measured: p->status is 0, and p->only is the name or NULL. */
bool is_wanted(problem *p, const char *name);

/* After all steps: refuses p->only if no step had that name. Returns
 * p->status. */
int check_step_name(problem *p);

/* Returns the relative error of O, ||O - truth|| / ||truth||, against float64:
 * of all rows, or of an even sample if all rows would take more than a fraction
 * of a second. The sample of a problem is always the same. Returns NaN if an
 * element is NaN where the truth is not. An element that is NaN in both, or the
 * same infinity, is correct. Returns NaN and sets p->status if out of memory,
 * after one line on stderr. */
double problem_error(problem *p);

/* Prints why the step of that name failed, on one line, and returns an exit
 * code. least: the smallest M that is enough, or 0 if M is not the cause. */
int step_failed(const char *name, const memory *mem, size_t least);

/* --- Tables (tables.c) --------------------------------------------------- */

/* Prints "12 heads, 251 queries, ...", with M if it is not 0, and an empty
 * line. */
void print_problem(const layer *l, size_t M);

/* Prints two tables of n steps: HBM traffic and its formula; other counts ("-":
 * not counted) and measurements. Then prints the tiles. */
void print_measured(const measurement m[], size_t n);

/* "Tiles, Br x Bc: flash1 32 x 64; flash2, split_kv 64 x 32.": add_tiles adds
 * one step, unless it has no tiles. */
typedef struct {
    char text[1000];
    size_t used;
    tile_sizes last;
} tiles_line;
void add_tiles(tiles_line *line, const char *name, tile_sizes t);
void print_tiles(const tiles_line *line);

/* Prints which rows the error is of, if not of all; then an empty line. */
void print_error_rows(const problem *p);

/* Returns "1.2e-07", or "-" if the error is unknown. */
words error_cell(const measurement *m);

/* Returns the HBM traffic of a, in all accounts, divided by that of b. */
double crossed_over(const measurement *a, const measurement *b);

#endif
