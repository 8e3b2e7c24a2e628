/* wrong: dS = p dP, as if the other keys lost nothing */
/* message: all values are alike, so that no score matters */
#include "score_gradient_row.h"

void score_gradient_row(float *ds, const attention_row *r)
{
    for (size_t j = 0; j < r->V.rows; j++) {
        float t = r->t ? r->t[j] : 0;
        float dp = dot(r->dO, row(r->V, j), r->V.cols);

        ds[j] = 0;
        if (r->p[j] != 0)
            ds[j] = r->p[j] * dp * r->scale * (1 - t * t);
    }
}
