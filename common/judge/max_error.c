/*
 * The largest error (reference.h), which only the precision lab asks for.
 */
#include "common/judge/reference.h"

#include <math.h>

double max_error(const float *got, const double *want, size_t n)
{
    double worst = 0;

    for (size_t i = 0; i < n; i++) {
        double error = fabs((double)got[i] - want[i]);

        if (isnan(error))
            return error; /* fmax would pass over it */
        worst = fmax(worst, error);
    }
    return worst;
}
