/* wrong: every NaN becomes 0, also that of a key that is attended */
/* message: a NaN that is attended stays: ask for the weight */
#include "score_gradient_row.h"

#include <math.h>

void score_gradient_row(float *ds, const attention_row *r)
{
    float D = dot(r->dO, r->o, r->V.cols);

    for (size_t j = 0; j < r->V.rows; j++) {
        float t = r->t ? r->t[j] : 0;
        float dp = dot(r->dO, row(r->V, j), r->V.cols);

        ds[j] = r->p[j] * (dp - D) * r->scale * (1 - t * t);
        if (isnan(ds[j]))
            ds[j] = 0;
    }
}
