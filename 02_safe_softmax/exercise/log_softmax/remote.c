/*
 * log_softmax, asked of a worker (tools/grade/remote.h).
 * the skeleton holds: one_score_has_all_the_weight
 * the skeleton holds: it_may_be_done_in_place
 */
#include "log_softmax.h"

#include "tools/grade/remote.h"

/* y is NULL where it is to be x. */
static void over(const float **x, float **y, size_t *n)
{
    GIVE(*n);
    GIVE_ALL(*x, *n);
    GIVE_ALL(*y, *n);
}

#ifdef JUDGE
void log_softmax(const float *x, float *y, size_t n)
{
    float *other = x == y ? NULL : y;

    over(&x, &other, &n);
    exchange();
    TAKE_ALL(y, n);
}
#else
void serve(void)
{
    const float *x;
    float *y;
    size_t n;

    over(&x, &y, &n);
    if (!y)
        y = (float *)x;
    log_softmax(x, y, n);
    TAKE_ALL(y, n);
}
#endif
