/*
 * What the lessons of chapters 01 to 03 share: a row to be followed by hand,
 * real scores and what is done to them, and where e^x stops.
 */
#ifndef COMMON_SOFTMAX_LESSON_H
#define COMMON_SOFTMAX_LESSON_H

#include "common/softmax_row.h"

/* --- By hand: two blocks of three ------------------------------------------ */

#define WORKED 6
static const float worked_example[] = {0.1f, 0.5f, 0.4f, 0.2f, 0.3f, 0.3f};

/* --- Real scores that are changed ------------------------------------------ */

/* Prints "TITLE: R rows of N" of the bundled scores, and for each change and
 * each of the steps (NULL ends) the rows lost, the passes and the error of the
 * rest; of a single step with the lowest and the highest score. An exit code. */
int print_changed_scores(const char *title, const softmax_step *const steps[]);

/* --- Where e^x stops ------------------------------------------------------- */

typedef struct {
    const char *name;
    int digits, least, most; /* binary; exponents of the normal numbers */
} float_format;

#define FORMATS 3
extern const float_format formats[FORMATS]; /* fp16, fp32, fp64 */

/* x to the nearest number that the format can hold, or to infinity. */
double round_in(const float_format *f, double x);

/* y = softmax of n scores x, computed in the format. n is at most MOST_SCORES:
 * they are static where they are needed, for stacks may be small. */
typedef void softmax_in(const float_format *f, const double *x, double *y,
                        size_t n);
softmax_in naive_softmax_in, safe_softmax_in;
enum { MOST_SCORES = 4096 };

/*
 * The last x, going from 0 to the end, of which n equal scores still have
 * positive weights; +-FARTHEST is far enough. At n = 1: where e^x itself
 * overflows, or becomes 0.
 */
enum { FARTHEST = 1000 };
double last_right(softmax_in *softmax, const float_format *f, size_t n,
                  double end);

/*
 * The largest relative error of a weight of NEAR scores between x - 2 and x:
 * NaN if a weight is. fp64 is compared with long double. And lines for the
 * plot, each "near,name,format,x,error", where 2^-54 stands for 0.
 */
enum { NEAR = 16 };
double error_near(softmax_in *softmax, const float_format *f, double x);
void print_near(const char *name, softmax_in *softmax);

#endif
