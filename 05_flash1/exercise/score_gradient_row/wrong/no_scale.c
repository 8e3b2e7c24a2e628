/* wrong: the gradient of z, not of q . k */
/* message: z = scale q . k: its slope in q . k is scale, once */
#include "score_gradient_row.h"

void score_gradient_row(float *ds, const attention_row *r)
{
    float D = dot(r->dO, r->o, r->V.cols);

    for (size_t j = 0; j < r->V.rows; j++) {
        float t = r->t ? r->t[j] : 0;
        float dp = dot(r->dO, row(r->V, j), r->V.cols);

        ds[j] = 0;
        if (r->p[j] != 0)
            ds[j] = r->p[j] * (dp - D) * (1 - t * t);
    }
}
