/*
 * log_softmax, asked of a worker (tools/grade/remote.h).
 */
#include "log_softmax.h"

#include <stdbool.h>
#include <stdlib.h>

#include "tools/grade/remote.h"

#ifdef JUDGE
void log_softmax(const float *x, float *y, size_t n)
{
    bool in_place = x == y;

    SAY(n);
    SAY(in_place);
    SAY_ALL(x, n);
    exchange();
    HEAR_ALL(y, n);
}
#else
void serve(void)
{
    size_t n;
    bool in_place;
    float *x, *y;

    HEAR(n);
    HEAR(in_place);
    x = heard_floats(n);
    y = in_place ? x : malloc(n * sizeof *y);
    log_softmax(x, y, n);
    SAY_ALL(y, n);
    if (!in_place)
        free(y);
    free(x);
}
#endif
