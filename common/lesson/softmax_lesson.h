/*
 * What the lessons of chapters 01 to 03 share: a row to be followed by hand,
 * real scores and what is done to them, and where e^x stops.
 */
#ifndef COMMON_SOFTMAX_LESSON_H
#define COMMON_SOFTMAX_LESSON_H

#include "common/softmax_row.h"

/* --- By hand: two blocks of three ------------------------------------------ */

#define WORKED 6
static const float worked_example[WORKED] = {0.1f, 0.5f, 0.4f,
                                             0.2f, 0.3f, 0.3f};

/* --- Real scores that are changed --------------------------- */

/*
 * Prints "TITLE: R rows of N" of the bundled scores, and for each change and
 * each of the steps (NULL ends) the rows lost, the passes and the error of the
 * rest; of a single step with the lowest and the highest score. An exit code.
 */
int print_changed_scores(const char *title, const softmax_step *const steps[]);

/* --- Where e^x stops ------------------------------------------------ */

typedef struct {
    const char *name;
    int digits, least, most; /* binary; exponents of the normal numbers */
} float_format;

/* x to the nearest number that the format can hold, or to infinity. */
double round_in(const float_format *f, double x);

#define FORMATS 3
extern const float_format formats[FORMATS]; /* fp16, fp32, fp64 */

/* y = softmax of n scores x, at most MOST_SCORES, computed in the format. */
typedef void softmax_in(const float_format *f, const double *x, double *y,
                        size_t n);
softmax_in naive_softmax_in, safe_softmax_in;

/* Static where they are needed: a stack may be small (ulimit -s 64). */
enum { MOST_SCORES = 4096 };

/*
 * The largest and the smallest x of which n equal scores still have positive
 * weights, by bisection between 0 and +-1000. At n = 1: where e^x itself
 * overflows, or becomes 0.
 */
double overflow_of(softmax_in *softmax, const float_format *f, size_t n);
double underflow_of(softmax_in *softmax, const float_format *f, size_t n);

/* A table of the two for all formats, at n = 1. */
void print_range_of_exp(void);

/*
 * The largest relative error of a weight of NEAR scores between x - 2 and x:
 * NaN if a weight is. fp64 is compared with long double.
 */
#define NEAR 16
double error_near(softmax_in *softmax, const float_format *f, double x);

/*
 * Lines for the plot, each "near,name,format,x,error", for all formats. An error
 * of 0 is printed as 2^-54.
 */
void print_near(const char *name, softmax_in *softmax);

#endif
