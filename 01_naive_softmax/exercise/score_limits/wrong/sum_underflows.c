/* wrong: takes it that the sum underflows, not each e^x */
/* message: n does not help: each e^x is rounded before the sum */
#include "score_limits.h"

#include <math.h>

score_range score_limits(double largest, double smallest, size_t n)
{
    (void)n;
    return (score_range){log(smallest) - log(2) - log((double)n),
                         log(largest) - log((double)n)};
}
