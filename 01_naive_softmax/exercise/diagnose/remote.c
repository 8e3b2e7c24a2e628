/*
 * diagnose, asked of a worker (tools/grade/remote.h).
 */
#include "diagnose.h"

#include <stdlib.h>

#include "tools/grade/remote.h"

#ifdef JUDGE
diagnosis diagnose(const float *x, size_t n)
{
    diagnosis d;

    SAY(n);
    SAY_ALL(x, n);
    exchange();
    HEAR(d);
    return d;
}
#else
void serve(void)
{
    size_t n;
    float *x;
    diagnosis d;

    HEAR(n);
    x = heard_floats(n);
    d = diagnose(x, n);
    free(x);
    SAY(d);
}
#endif
