/*
 * merge_in, asked of a worker (tools/grade/remote.h).
 */
#include "merge_ranks.h"

#include "tools/grade/remote.h"

static void over(float **all, const float **part, size_t *dv)
{
    GIVE(*dv);
    GIVE_ALL(*all, *dv + 2);
    GIVE_ALL(*part, *dv + 2);
}

#ifdef JUDGE
void merge_in(float *all, const float *part, size_t dv)
{
    over(&all, &part, &dv);
    exchange();
    TAKE_ALL(all, dv + 2);
}
#else
void serve(void)
{
    float *all;
    const float *part;
    size_t dv;

    over(&all, &part, &dv);
    merge_in(all, part, dv);
    TAKE_ALL(all, dv + 2);
}
#endif
