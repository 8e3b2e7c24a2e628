/* wrong: looks at a single e^x, not at the sum */
/* message: it is the sum of n that has to be finite */
#include "score_limits.h"

#include <math.h>

score_range score_limits(double largest, double smallest, size_t n)
{
    (void)n;
    return (score_range){log(smallest) - log(2), log(largest)};
}
