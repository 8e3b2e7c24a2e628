/* wrong: 0 NaN for a key that is not attended */
/* message: a weight of 0 gives 0, whatever V holds */
#include "score_gradient_row.h"

void score_gradient_row(float *ds, const attention_row *r)
{
    float D = dot(r->dO, r->o, r->V.cols);

    for (size_t j = 0; j < r->V.rows; j++) {
        float t = r->t ? r->t[j] : 0;
        float dp = dot(r->dO, row(r->V, j), r->V.cols);

        ds[j] = r->p[j] * (dp - D) * r->scale * (1 - t * t);
    }
}
