/* Tests is_close and is_close_or_nan (assert_close.h). */
#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

#include <math.h>

#define INF ((double)INFINITY)
#define NaN ((double)NAN)

static const struct {
    double got, want, tolerance;
    bool close, or_nan; /* results of is_close and of is_close_or_nan */
} pairs[] = {
    {1.0, 1.0, 0.0, true, true},
    {1.25, 1.0, 0.25, true, true},
    {0.75, 1.0, 0.25, true, true},
    {-0.0, 0.0, 0.0, true, true},
    {INF, INF, 0.0, true, true},
    {-INF, -INF, 0.0, true, true},
    {0x1.4000000000001p0, 1.0, 0.25, false, false}, /* next after 1.25 */
    {0x1.7ffffffffffffp-1, 1.0, 0.25, false, false},
    {5e-324, 0.0, 0.0, false, false},
    {-1.0, 1.0, 1e-6, false, false},
    {-INF, INF, 1e300, false, false},
    {INF, 1.0, INF, false, false},
    {1.0, INF, INF, false, false},
    {NaN, 1.0, INF, false, false},
    {1.0, NaN, INF, false, false},
    {INF, NaN, INF, false, false},
    {NaN, INF, INF, false, false},
    {1.0, 1.0, NaN, false, false},
    {NaN, NaN, INF, false, true},
};

TEST(a_number_is_close_within_the_tolerance_and_nan_never)
{
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        double got = pairs[k].got, want = pairs[k].want;

        if (is_close(got, want, pairs[k].tolerance) != pairs[k].close ||
            is_close_or_nan(got, want, pairs[k].tolerance) != pairs[k].or_nan)
            fail_msg("wrong result for %g and %g, tolerance %g", got, want,
                     pairs[k].tolerance);
    }
}
