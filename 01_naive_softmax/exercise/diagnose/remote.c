/*
 * diagnose, asked of a worker (tools/grade/remote.h).
 * the skeleton holds: small_scores_work
 * the skeleton holds: up_to_88_72_a_score_works
 * the skeleton holds: one_weight_of_0_is_no_fault
 */
#include "diagnose.h"

#include "tools/grade/remote.h"

static void over(const float **x, size_t *n)
{
    GIVE(*n);
    GIVE_ALL(*x, *n);
}

#ifdef JUDGE
diagnosis diagnose(const float *x, size_t n)
{
    diagnosis d;

    over(&x, &n);
    exchange();
    TAKE(d);
    return d;
}
#else
void serve(void)
{
    const float *x;
    size_t n;
    diagnosis d;

    over(&x, &n);
    d = diagnose(x, n);
    TAKE(d);
}
#endif
