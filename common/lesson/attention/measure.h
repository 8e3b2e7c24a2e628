/* Measures a forward step: traffic, on-chip memory, error of O, and time. */
#ifndef COMMON_LESSON_MEASURE_H
#define COMMON_LESSON_MEASURE_H

#include "common/lesson/attention/problem.h"
#include "common/print/report.h"
#include "common/step.h"

typedef struct {
    const attention_step *step;
    bool done;             /* false if the step was not run */
    tile_sizes tiles;      /* 0, 0 if the step has none */
    counts counted;        /* sum over all heads */
    counts formula;        /* the HBM traffic by closed form */
    size_t on_chip, extra; /* elements: the largest of a head */
    bool judged;           /* true if the error against float64 is known */
    double error;          /* ||O - truth|| / ||truth||, truth in float64 */
    double seconds;        /* of the fastest run */
} measurement;

/* Runs the step three times on p with p->M elements on chip, and measures it. O
 * and L are those of the last run. If p->status is not 0, or if p->only names
 * another step, does not run the step, and m->done is false. On failure prints
 * one line on stderr and sets p->status: 1 if out of memory, else 2. */
void measure(measurement *m, problem *p, const attention_step *step);

/* Like measure, but with `runs` runs, and without the error unless judged. */
void measure_runs(measurement *m, problem *p, const attention_step *step,
                  size_t runs, bool judged);

/* Adds the name to the list that check_step_name prints. Returns true if the
 * step must be measured: p->status is 0, and p->only is the name or NULL. */
bool is_wanted(problem *p, const char *name);

/* Must be called after all steps. If no step had the name p->only, prints one
 * line on stderr and sets p->status to 2. Returns p->status. */
int check_step_name(problem *p);

/* Returns the relative error of O against float64 (relative_error in errors.h):
 * of all rows, or of every p->every-th row if all rows would take more than a
 * fraction of a second. If out of memory, prints one line on stderr, sets
 * p->status to 1 and returns NaN. */
double problem_error(problem *p);

/* Prints one line on stderr: why the step failed, and `least`, the smallest
 * sufficient M, unless `least` is 0. Returns the exit code. */
int step_failed(const char *name, const memory *mem, size_t least);

/* The data of a chapter's plot is a table in CSV. print_plot_header prints its
 * header. print_plot_line runs the step on a random head of N queries and keys
 * with M elements on chip, with these tile sizes unless they are 0 x 0, and
 * prints the HBM traffic, counted and by formula. Returns an exit code: not 0
 * after one line on stderr. */
void print_plot_header(void);
int print_plot_line(const attention_step *step, size_t N, size_t d, size_t M,
                    tile_sizes t);

/* --- Tables (tables.c) --------------------------------------------------- */

/* Prints "12 heads, 251 queries, ...", and M if it is not 0. */
void print_problem(const layer *l, size_t M);

/* Prints two tables of n steps, and the tile sizes. The first table has the HBM
 * traffic and its formula, the second the other counts and the measurements. */
void print_measured(const measurement m[], size_t n);

/* add_traffic adds a step's row to a table: the name, elements read, written,
 * and moved by formula, elements of other accounts, and `last`. print_traffic
 * prints the table, unless it has 0 rows after the header. */
void add_traffic(table *t, const char *name, const counts *c,
                 const counts *formula, size_t last);
void print_traffic(const table *t, size_t rows);

/* A line such as "Tiles, Br x Bc: flash1 32 x 64; flash2, split_kv 64 x 32."
 * add_tiles adds one step, unless it has no tiles. */
typedef struct {
    char text[1000];
    size_t used;
    tile_sizes last;
} tiles_line;
void add_tiles(tiles_line *line, const char *name, tile_sizes t);
void print_tiles(const tiles_line *line);

/* Prints which rows the error covers, if not all, and then an empty line. */
void print_error_rows(const problem *p);

/* Returns the error as text, or "-" if it is not computed. */
words error_cell(const measurement *m);

/* Returns the HBM traffic of a, in all accounts, divided by that of b. */
double crossed_over(const measurement *a, const measurement *b);

#endif
