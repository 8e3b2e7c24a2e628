/*
 * Shared by the programs of chapters 01 to 03: an example row for calculation
 * by hand, changes of real scores, and the limits of e^x.
 */
#ifndef COMMON_SOFTMAX_LESSON_H
#define COMMON_SOFTMAX_LESSON_H

#include "common/softmax_row.h"

/* --- By hand: two blocks of three ---------------------------------------- */

#define WORKED 6
static const float worked_example[] = {0.1f, 0.5f, 0.4f, 0.2f, 0.3f, 0.3f};

/* --- Changed real scores ------------------------------------------------- */

/* Prints "TITLE: R rows of N" of the bundled scores. For each change and each
 * of the steps (NULL ends the list) prints the rows lost, the passes and the
 * error of the other rows; for a single step also the lowest and the highest
 * score. Returns an exit code. */
int print_changed_scores(const char *title, const softmax_step *const steps[]);

/* --- Limits of e^x ------------------------------------------------------- */

typedef struct {
    const char *name;
    int digits, least, most; /* binary; exponents of the normal numbers */
} float_format;

#define FORMATS 3
extern const float_format formats[FORMATS]; /* fp16, fp32, fp64 */

/* Returns x rounded to the nearest number of the format, or to infinity. */
double round_in(const float_format *f, double x);

/* y = softmax of n scores x, computed in the format. n is at most MOST_SCORES,
 * since the scratch buffers are static: stacks may be small. */
typedef void softmax_in(const float_format *f, const double *x, double *y,
                        size_t n);
softmax_in naive_softmax_in, safe_softmax_in;
enum { MOST_SCORES = 4096 };

/* Returns the last x, from 0 towards end, for which n equal scores still have
 * positive weights; end = +-FARTHEST is enough. For n = 1 this is where e^x
 * itself overflows, or becomes 0. */
enum { FARTHEST = 1000 };
double last_right(softmax_in *softmax, const float_format *f, size_t n,
                  double end);

/* error_near returns the largest relative error of a weight of NEAR scores
 * between x - 2 and x; NaN if a weight is NaN. fp64 is compared with long
 * double. print_near prints lines "near,name,format,x,error" for the plot, with
 * 2^-54 for 0. */
enum { NEAR = 16 };
double error_near(softmax_in *softmax, const float_format *f, double x);
void print_near(const char *name, softmax_in *softmax);

#endif
