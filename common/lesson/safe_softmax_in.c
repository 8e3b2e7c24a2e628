/*
 * Safe softmax in other formats (softmax_lesson.h): from chapter 02 on.
 */
#include "common/lesson/softmax_lesson.h"

#include <math.h>

void safe_softmax_in(const float_format *f, const double *x, double *y,
                     size_t n)
{
    static double shifted[MOST_SCORES];
    double m = -(double)INFINITY;

    for (size_t i = 0; i < n; i++)
        m = fmax(m, x[i]);
    for (size_t i = 0; i < n; i++)
        shifted[i] = round_in(f, x[i] - m);
    naive_softmax_in(f, shifted, y, n);
}
