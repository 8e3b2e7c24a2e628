/* wrong: takes it that a score of 0 is always safe */
/* message: more than 65504 scores of 0 have a sum beyond fp16 */
#include "score_limits.h"

#include <math.h>

score_range score_limits(double largest, double smallest, size_t n)
{
    (void)n;
    return (score_range){log(smallest) - log(2),
                         fmax(0, log(largest) - log((double)n))};
}
