/*
 * Compares floating-point numbers in tests. assert_float_equal of CMocka 1.1.5
 * passes for (NAN, 1) and (INF, 1). assert_close and assert_all_close fail.
 */
#ifndef COMMON_ASSERT_CLOSE_H
#define COMMON_ASSERT_CLOSE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * True if |got - want| <= tolerance. An infinity is close only to the same
 * infinity. is_close is false if got or want is NaN. is_close_or_nan is true if
 * both are NaN.
 */
bool is_close(double got, double want, double tolerance);
bool is_close_or_nan(double got, double want, double tolerance);

/* Returns ", a difference of 3e-06" for a message after "want %.6g, got %.6g"
 * if want and got have the same 6 digits, otherwise "". */
typedef struct {
    char text[40];
} small_difference;
small_difference difference(double want, double got);

/* Fails the running test, at the line of the call, unless got is close. */
#define assert_close(got, want, tolerance)                                     \
    assert_close_at((double)(got), (double)(want), tolerance, #got, __FILE__,  \
                    __LINE__)

/* Fails the running test unless each of n floats is close to its double. */
#define assert_all_close(got, want, n, tolerance)                              \
    assert_all_close_at(got, want, n, tolerance, #got, __FILE__, __LINE__)

void assert_close_at(double got, double want, double tolerance,
                     const char *what, const char *file, int line);
void assert_all_close_at(const float *got, const double *want, size_t n,
                         double tolerance, const char *what, const char *file,
                         int line);

#endif
