/* wrong: D = sum_c o_c: without dO */
/* message: dP and D are dO . V_j and dO . o, over all dv columns */
#include "score_gradient_row.h"

void score_gradient_row(float *ds, const attention_row *r)
{
    float D = 0;

    for (size_t c = 0; c < r->V.cols; c++)
        D += r->o[c];

    for (size_t j = 0; j < r->V.rows; j++) {
        float t = r->t ? r->t[j] : 0;
        float dp = dot(r->dO, row(r->V, j), r->V.cols);

        ds[j] = 0;
        if (r->p[j] != 0)
            ds[j] = r->p[j] * (dp - D) * r->scale * (1 - t * t);
    }
}
