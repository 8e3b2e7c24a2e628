/*
 * finish_row and weight_again, asked of a worker (tools/grade/remote.h).
 */
#include "emit_logsumexp.h"

#include "tools/grade/remote.h"

/* weight_again has no row: o is NULL, and a and b are s and L. */
static void over(float **o, size_t *dv, float *a, float *b)
{
    GIVE(*a);
    GIVE(*b);
    GIVE(*dv);
    GIVE_ALL(*o, *dv);
}

static void back(float *result, float *o, size_t dv)
{
    TAKE(*result);
    TAKE_ALL(o, dv);
}

#ifdef JUDGE
float finish_row(float *o, size_t dv, float m, float l)
{
    float L;

    over(&o, &dv, &m, &l);
    exchange();
    back(&L, o, dv);
    return L;
}

float weight_again(float s, float L)
{
    float weight, *none = NULL;
    size_t dv = 0;

    over(&none, &dv, &s, &L);
    exchange();
    back(&weight, none, 0);
    return weight;
}
#else
void serve(void)
{
    float a, b, result, *o;
    size_t dv;

    over(&o, &dv, &a, &b);
    result = o ? finish_row(o, dv, a, b) : weight_again(a, b);
    back(&result, o, dv);
}
#endif
