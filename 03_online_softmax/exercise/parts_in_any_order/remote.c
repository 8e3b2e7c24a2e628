/*
 * logsumexp_of_parts, asked of a worker (tools/grade/remote.h).
 */
#include "parts_in_any_order.h"

#include "tools/grade/remote.h"

static void over(const part **parts, size_t *n)
{
    GIVE(*n);
    GIVE_ALL(*parts, *n);
}

#ifdef JUDGE
float logsumexp_of_parts(const part *parts, size_t n)
{
    float L;

    over(&parts, &n);
    exchange();
    TAKE(L);
    return L;
}
#else
void serve(void)
{
    const part *parts;
    size_t n;
    float L;

    over(&parts, &n);
    L = logsumexp_of_parts(parts, n);
    TAKE(L);
}
#endif
