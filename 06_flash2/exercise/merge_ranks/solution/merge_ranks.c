/*
 * The merge of chapter 03. It multiplies o and l by the same factors, which are
 * computed from the old maxima. The factor of the row (-inf, 0, 0 ..) is 0.
 */
#include "merge_ranks.h"

#include "common/scores.h"

void merge_in(float *all, const float *part, size_t dv)
{
    float m = fmaxf(all[0], part[0]);
    float alpha = exp_minus(all[0], m);
    float beta = exp_minus(part[0], m);

    all[0] = m;
    all[1] = alpha * all[1] + beta * part[1];
    scale_row(all + 2, alpha, dv);
    axpy(all + 2, beta, part + 2, dv);
}
