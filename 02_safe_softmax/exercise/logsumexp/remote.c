/*
 * logsumexp, asked of a worker (tools/grade/remote.h).
 * the skeleton holds: one_score_is_its_own_logsumexp
 */
#include "logsumexp.h"

#include "tools/grade/remote.h"

static void over(const float **x, size_t *n)
{
    GIVE(*n);
    GIVE_ALL(*x, *n);
}

#ifdef JUDGE
float logsumexp(const float *x, size_t n)
{
    float L;

    over(&x, &n);
    exchange();
    TAKE(L);
    return L;
}
#else
void serve(void)
{
    const float *x;
    size_t n;
    float L;

    over(&x, &n);
    L = logsumexp(x, n);
    TAKE(L);
}
#endif
