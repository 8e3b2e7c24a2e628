/* wrong: p (D - dP) */
/* message: a higher score of the better key is a gain: its dS is positive */
#include "score_gradient_row.h"

void score_gradient_row(float *ds, const attention_row *r)
{
    float D = dot(r->dO, r->o, r->V.cols);

    for (size_t j = 0; j < r->V.rows; j++) {
        float t = r->t ? r->t[j] : 0;
        float dp = dot(r->dO, row(r->V, j), r->V.cols);

        ds[j] = 0;
        if (r->p[j] != 0)
            ds[j] = r->p[j] * (D - dp) * r->scale * (1 - t * t);
    }
}
