/*
 * logsumexp_of_parts, asked of a worker (tools/grade/remote.h).
 */
#include "parts_in_any_order.h"

#include <stdlib.h>

#include "tools/grade/remote.h"

#ifdef JUDGE
float logsumexp_of_parts(const part *parts, size_t n)
{
    float L;

    SAY(n);
    SAY_ALL(parts, n);
    exchange();
    HEAR(L);
    return L;
}
#else
void serve(void)
{
    size_t n;
    part *parts;
    float L;

    HEAR(n);
    parts = malloc(n * sizeof *parts);
    HEAR_ALL(parts, n);
    L = logsumexp_of_parts(parts, n);
    free(parts);
    SAY(L);
}
#endif
