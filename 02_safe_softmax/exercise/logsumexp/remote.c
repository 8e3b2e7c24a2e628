/*
 * logsumexp, asked of a worker (tools/grade/remote.h).
 */
#include "logsumexp.h"

#include <stdlib.h>

#include "tools/grade/remote.h"

#ifdef JUDGE
float logsumexp(const float *x, size_t n)
{
    float L;

    SAY(n);
    SAY_ALL(x, n);
    exchange();
    HEAR(L);
    return L;
}
#else
void serve(void)
{
    size_t n;
    float *x, L;

    HEAR(n);
    x = heard_floats(n);
    L = logsumexp(x, n);
    free(x);
    SAY(L);
}
#endif
