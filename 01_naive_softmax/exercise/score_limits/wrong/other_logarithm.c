/* wrong: the logarithm to the base 2 */
/* message: e^x = largest: what is x? */
#include "score_limits.h"

#include <math.h>

score_range score_limits(double largest, double smallest, size_t n)
{
    (void)n;
    return (score_range){log2(smallest) - 1, log2(largest) - log2((double)n)};
}
