/*
 * Where e^x stops: softmax in fp16, fp32 and fp64, every result rounded to the
 * format. The data of the plots of chapters 01 and 02.
 */
#ifndef COMMON_CLIFFS_H
#define COMMON_CLIFFS_H

#include <stddef.h>

typedef struct {
    const char *name;
    double (*round)(double x); /* to the nearest that the format can hold */
} float_format;

#define FORMATS 3
extern const float_format formats[FORMATS]; /* fp16, fp32, fp64 */

/* y = softmax of n scores x, computed in the format. */
typedef void softmax_in(const float_format *f, const double *x, double *y,
                        size_t n);
softmax_in naive_softmax_in, safe_softmax_in;

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
 * Lines for the plots, each "near,name,format,x,error" or
 * "cliff,name,format,x,n", for all formats. An error of 0 is printed as 2^-54.
 */
void print_near(const char *name, softmax_in *softmax);
void print_cliffs(const char *name, softmax_in *softmax);

#endif
