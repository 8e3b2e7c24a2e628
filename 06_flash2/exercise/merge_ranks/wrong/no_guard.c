/* wrong: takes the difference of -inf and -inf */
/* message: nobody has a key for this query: -inf - -inf is NaN */
#include "merge_ranks.h"

#include "common/exp_minus.h"
#include "common/matrix.h"

void merge_in(float *all, const float *part, size_t dv)
{
    float m = fmaxf(all[0], part[0]);
    float alpha = expf(all[0] - m);
    float beta = expf(part[0] - m);

    all[0] = m;
    all[1] = alpha * all[1] + beta * part[1];
    rescale(all + 2, alpha, dv);
    axpy(all + 2, beta, part + 2, dv);
}
