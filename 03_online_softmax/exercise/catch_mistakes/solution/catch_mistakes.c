/*
 * Each row shows one kind of mistake. Its weights are compared with those of a
 * safe softmax in double.
 */
#include "catch_mistakes.h"

#include <math.h>

static int is_wrong(softmax_function *softmax, floats s)
{
    floats p = softmax(s);
    double m = -INFINITY, l = 0;

    for (size_t i = 0; i < s.n; i++)
        m = fmax(m, s.x[i]);
    for (size_t i = 0; i < s.n; i++)
        l += s.x[i] == -INFINITY ? 0 : exp(s.x[i] - m);
    for (size_t i = 0; i < s.n; i++) {
        double want = s.x[i] == -INFINITY ? 0 : exp(s.x[i] - m) / l;

        if (!(fabs(p.x[i] - want) <= 0.001))
            return 1;
    }
    return 0;
}

int finds_mistake(softmax_function *softmax)
{
    floats rising = {MOST_SCORES, {0}};

    for (size_t i = 0; i < rising.n; i++)
        rising.x[i] = 0.25f * i;
    return is_wrong(softmax, (floats){3, {1, 3, 2}}) ||
           is_wrong(softmax, (floats){2, {1000, 999}}) ||
           is_wrong(softmax, (floats){2, {-1000, -999}}) ||
           is_wrong(softmax, (floats){3, {-INFINITY, 1, 2}}) ||
           is_wrong(softmax, (floats){2, {-INFINITY, -INFINITY}}) ||
           is_wrong(softmax, rising);
}
