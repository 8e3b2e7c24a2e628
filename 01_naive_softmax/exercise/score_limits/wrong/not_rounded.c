/* wrong: what is below the smallest number is taken for 0 */
/* message: what is above half the smallest is rounded up */
#include "score_limits.h"

#include <math.h>

score_range score_limits(double largest, double smallest, size_t n)
{
    (void)n;
    return (score_range){log(smallest), log(largest) - log((double)n)};
}
