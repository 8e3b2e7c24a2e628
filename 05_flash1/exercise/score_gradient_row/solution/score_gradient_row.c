/*
 * Raising a score raises its key's weight and lowers all others, in proportion
 * to what they have. So a key matters by how much its value is better than the
 * mean, which is D: dS = p (dP - D). Then the slope of s in q . k.
 */
#include "score_gradient_row.h"

void score_gradient_row(float *ds, const attention_row *r)
{
    float D = dot(r->dO, r->o, r->V.cols);

    for (size_t j = 0; j < r->V.rows; j++) {
        float t = r->t ? r->t[j] : 0;
        float dp = dot(r->dO, row(r->V, j), r->V.cols);

        ds[j] = 0;
        if (r->p[j] != 0)
            ds[j] = r->p[j] * (dp - D) * r->scale * (1 - t * t);
    }
}
