/* wrong: both rows are brought to m = 0 */
/* message: only differences of m are safe */
#include "merge_ranks.h"

#include "common/exp_minus.h"
#include "common/matrix.h"

void merge_in(float *all, const float *part, size_t dv)
{
    float m = fmaxf(all[0], part[0]);
    float alpha = expf(all[0]) / expf(m);
    float beta = expf(part[0]) / expf(m);

    if (m == -INFINITY)
        alpha = beta = 1;
    all[0] = m;
    all[1] = alpha * all[1] + beta * part[1];
    rescale(all + 2, alpha, dv);
    axpy(all + 2, beta, part + 2, dv);
}
