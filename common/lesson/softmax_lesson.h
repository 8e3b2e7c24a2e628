/* Parts of the programs of chapters 01 to 03. */
#ifndef COMMON_SOFTMAX_LESSON_H
#define COMMON_SOFTMAX_LESSON_H

#include "common/softmax_row.h"

#define WORKED 6
static const float worked_example[] = {0.1f, 0.5f, 0.4f, 0.2f, 0.3f, 0.3f};

/* Changes the bundled scores in several ways and runs the steps on them. The
 * list of steps ends with NULL. Prints the title and a table with a row for
 * each change and each step: the number of lost rows (their error is NaN or
 * infinite), the passes, and the error of the other rows. Returns an exit
 * code. */
int print_changed_scores(const char *title, const softmax_step *const steps[]);

typedef struct {
    const char *name;
    int digits;      /* binary digits of the significand */
    int least, most; /* exponents of the normal numbers */
} float_format;

#define FORMATS 3
extern const float_format formats[FORMATS]; /* fp16, fp32, fp64 */

/* Returns x rounded to the nearest number of the format, or to infinity. */
double round_in(const float_format *f, double x);

/* Computes y = softmax of n scores x in the format. n is at most MOST_SCORES,
 * the size of static scratch buffers. */
typedef void softmax_in(const float_format *f, const double *x, double *y,
                        size_t n);
softmax_in naive_softmax_in, safe_softmax_in;
enum { MOST_SCORES = 4096 };

/* Returns the x farthest from 0, between 0 and end, for which n equal scores x
 * have positive weights. end is FARTHEST or -FARTHEST. */
enum { FARTHEST = 1000 };
double last_right(softmax_in *softmax, const float_format *f, size_t n,
                  double end);

/* error_near computes the weights of NEAR scores between x - 2 and x. It
 * returns their largest relative error against long double, or NaN if a weight
 * is NaN. print_near prints it for many x, for the plot: one line
 * "near,NAME,FORMAT,X,ERROR" for each x and format. */
enum { NEAR = 16 };
double error_near(softmax_in *softmax, const float_format *f, double x);
void print_near(const char *name, softmax_in *softmax);

#endif
