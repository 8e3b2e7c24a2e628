/*
 * finish_row and weight_again, asked of a worker (tools/grade/remote.h).
 */
#include "emit_logsumexp.h"

#include <stdlib.h>

#include "tools/grade/remote.h"

enum { FINISH, WEIGHT };

#ifdef JUDGE
float finish_row(float *o, size_t dv, float m, float l)
{
    int which = FINISH;
    float L;

    SAY(which);
    SAY(m);
    SAY(l);
    SAY(dv);
    SAY_ALL(o, dv);
    exchange();
    HEAR(L);
    HEAR_ALL(o, dv);
    return L;
}

float weight_again(float s, float L)
{
    int which = WEIGHT;
    float weight;

    SAY(which);
    SAY(s);
    SAY(L);
    exchange();
    HEAR(weight);
    return weight;
}
#else
void serve(void)
{
    int which;
    float a, b, result, *o;
    size_t dv;

    HEAR(which);
    HEAR(a);
    HEAR(b);
    if (which == WEIGHT) {
        result = weight_again(a, b);
        SAY(result);
        return;
    }
    HEAR(dv);
    o = heard_floats(dv);
    result = finish_row(o, dv, a, b);
    SAY(result);
    SAY_ALL(o, dv);
    free(o);
}
#endif
