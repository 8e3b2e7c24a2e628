/*
 * diagnose, asked of a worker (tools/grade/remote.h).
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
