/* wrong: a row with m = -inf is taken for an empty one */
/* message: the NaN in l must stay */
#include "merge_ranks.h"

#include "common/exp_minus.h"
#include "common/matrix.h"

void merge_in(float *all, const float *part, size_t dv)
{
    float m = fmaxf(all[0], part[0]);
    float alpha = exp_minus(all[0], m);
    float beta = exp_minus(part[0], m);

    if (part[0] == -INFINITY)
        return;
    all[0] = m;
    all[1] = alpha * all[1] + beta * part[1];
    rescale(all + 2, alpha, dv);
    axpy(all + 2, beta, part + 2, dv);
}
