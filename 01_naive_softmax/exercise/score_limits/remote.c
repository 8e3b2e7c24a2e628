/*
 * score_limits, asked of a worker (tools/grade/remote.h).
 */
#include "score_limits.h"

#include "tools/grade/remote.h"

#ifdef JUDGE
score_range score_limits(double largest, double smallest, size_t n)
{
    score_range range;

    SAY(largest);
    SAY(smallest);
    SAY(n);
    exchange();
    HEAR(range);
    return range;
}
#else
void serve(void)
{
    double largest, smallest;
    size_t n;
    score_range range;

    HEAR(largest);
    HEAR(smallest);
    HEAR(n);
    range = score_limits(largest, smallest, n);
    SAY(range);
}
#endif
