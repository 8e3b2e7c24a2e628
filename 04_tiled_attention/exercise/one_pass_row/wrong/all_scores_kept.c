/* wrong: keeps all scores, and asks for the values afterwards */
/* message: a key is looked at once, score and value */
#include "one_pass_row.h"

#include <math.h>

#include "common/exp_minus.h"
#include "common/matrix.h"

void one_pass_row(float *o, size_t dv, score_fn *score, value_fn *value,
                  size_t n)
{
    float s[1000] = {0}, m, l = 0;

    for (size_t j = 0; j < n; j++)
        s[j] = score(j);
    m = max_of(s, n);
    for (size_t c = 0; c < dv; c++)
        o[c] = 0;
    for (size_t j = 0; j < n; j++) {
        float p = exp_minus(s[j], m);

        l += p;
        if (p != 0)
            axpy(o, p, value(j), dv);
    }
    rescale(o, inverse(l), dv);
}
