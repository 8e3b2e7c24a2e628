/* wrong: the outputs are added as they come */
/* message: the part is in units of e^2, all in units of e^3 */
#include "merge_ranks.h"

#include "common/exp_minus.h"
#include "common/matrix.h"

void merge_in(float *all, const float *part, size_t dv)
{
    float m = fmaxf(all[0], part[0]);
    float alpha = exp_minus(all[0], m);
    float beta = exp_minus(part[0], m);

    all[0] = m;
    all[1] = alpha * all[1] + beta * part[1];
    axpy(all + 2, 1, part + 2, dv);
}
