/*
 * Runs the first pass of online softmax, and also stores the index of the
 * maximum. The term of the largest score is e^0 = 1, so its weight is 1 / l.
 */
#include "top_score.h"

#include <math.h>

top top_score(score_fn *score, size_t n)
{
    top best = {-INFINITY, n, 0};
    float l = 0;

    for (size_t i = 0; i < n; i++) {
        float x = score(i);

        if (x == -INFINITY)
            continue;
        if (x > best.m) {
            l = l == 0 ? 1 : l * expf(best.m - x) + 1;
            best.m = x;
            best.at = i;
        } else {
            l += expf(x - best.m);
        }
    }
    best.weight = l == 0 ? 0 : 1 / l;
    return best;
}
