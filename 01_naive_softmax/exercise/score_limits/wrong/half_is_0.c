/* wrong: halves fp64's smallest number, which gives 0 */
/* message: fp64: the smallest / 2 is no number */
#include "score_limits.h"

#include <math.h>

score_range score_limits(double largest, double smallest, size_t n)
{
    (void)n;
    return (score_range){log(smallest / 2), log(largest) - log((double)n)};
}
