/*
 * overflow_threshold, asked of a worker (tools/grade/remote.h): f stays with
 * the judge, and the worker asks about every x.
 */
#include "overflow_threshold.h"

#include "tools/grade/remote.h"

#ifdef JUDGE
double overflow_threshold(double (*f)(double x), double low, double high)
{
    double x, y;

    SAY(low);
    SAY(high);
    for (bool asked = exchange(); asked; asked = reply()) {
        HEAR(x);
        y = f(x);
        SAY(y);
    }
    HEAR(x);
    return x;
}
#else
static double ask(double x)
{
    double y;

    SAY(x);
    question();
    HEAR(y);
    return y;
}

void serve(void)
{
    double low, high, x;

    HEAR(low);
    HEAR(high);
    x = overflow_threshold(ask, low, high);
    SAY(x);
}
#endif
