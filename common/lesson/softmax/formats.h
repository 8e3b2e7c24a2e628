/* Softmax computed in fp16, fp32 or fp64, with every operation rounded. */
#ifndef COMMON_FORMATS_H
#define COMMON_FORMATS_H

#include <stddef.h>

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

/* Computes the weights of NEAR scores between x - 2 and x. Returns their
 * largest relative error against long double, or NaN if a weight is NaN. */
enum { NEAR = 16 };
double error_near(softmax_in *softmax, const float_format *f, double x);

#endif
