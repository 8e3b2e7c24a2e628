/*
 * A higher score raises the weight of its key, and lowers all other weights in
 * proportion. So the gradient depends on the difference of dP and its mean D:
 * dS = p (dP - D). ds is dS times the derivative of s with respect to q . k.
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
