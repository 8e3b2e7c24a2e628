/* wrong: m is replaced before the past is rescaled by it */
/* message: the old l is worth e^{m_old - m_new} */
#include "merge_ranks.h"

#include "common/exp_minus.h"
#include "common/matrix.h"

void merge_in(float *all, const float *part, size_t dv)
{
    all[0] = fmaxf(all[0], part[0]);

    float alpha = exp_minus(all[0], all[0]);
    float beta = exp_minus(part[0], all[0]);

    all[1] = alpha * all[1] + beta * part[1];
    rescale(all + 2, alpha, dv);
    axpy(all + 2, beta, part + 2, dv);
}
