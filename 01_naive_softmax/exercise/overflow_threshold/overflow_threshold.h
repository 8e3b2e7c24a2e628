/*
 * Exercise 01: where does a function overflow? To be found by bisection.
 *
 * docs/01_naive_softmax.md; the next hint: make hint-01 E=overflow_threshold
 */
#ifndef OVERFLOW_THRESHOLD_H
#define OVERFLOW_THRESHOLD_H

/*
 * The largest double x for which f(x) is finite: neither infinite nor NaN.
 *
 * f(low) is finite, f(high) is not, 0 <= low < high, and between them f goes
 * over once and for all: finite up to the threshold, never after it. f may be
 * asked about any x from low to high, but not beyond, and 5000 times at most.
 *
 *     f                      threshold
 *     e^x in fp16             11.09
 *     e^x in fp32             88.72
 *     e^x in fp64            709.78
 */
double overflow_threshold(double (*f)(double x), double low, double high);

#endif
