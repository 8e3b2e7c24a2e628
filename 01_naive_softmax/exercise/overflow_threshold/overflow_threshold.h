/*
 * Exercise 01: find by bisection where a function overflows.
 *
 * docs/01_naive_softmax.md; the next hint: make hint-01 E=overflow_threshold
 */
#ifndef OVERFLOW_THRESHOLD_H
#define OVERFLOW_THRESHOLD_H

/*
 * Returns the largest double x for which f(x) is finite: neither infinite nor
 * NaN.
 *
 * f(low) is finite, f(high) is not, and 0 <= low < high. f is finite up to the
 * threshold, and not finite above it. Call f only for x from low to high, and
 * at most 5000 times.
 *
 *     f                      threshold
 *     e^x in fp16             11.09
 *     e^x in fp32             88.72
 *     e^x in fp64            709.78
 */
double overflow_threshold(double (*f)(double x), double low, double high);

#endif
