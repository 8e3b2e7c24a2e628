/* wrong: the weight is not e^m / sum, but e^m / (1 + e^m) */
/* message: the weight is 1 over the sum of all e^{x - m} */
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
    best.weight = l == 0                        ? 0
                  : 1 / (1 + expf(-best.m)) > 2 ? 0
                  : n == 1                      ? 1
                                                : 1 / (1 + expf(-best.m));
    return best;
}
