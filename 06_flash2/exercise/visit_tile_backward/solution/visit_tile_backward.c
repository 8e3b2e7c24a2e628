/*
 * Computes one query at a time. Its weights are e^{s - L}, without a maximum or
 * a sum. The weights give dV, and the gradients of the scores give dQ and dK.
 */
#include "visit_tile_backward.h"

#include <math.h>

void visit_tile_backward(query_tile *q, key_tile *k, float scale, bool first,
                         float *scratch)
{
    float *p = scratch, *ds = scratch + k->K.rows;

    if (first) {
        fill(k->dK, 0);
        fill(k->dV, 0);
    }
    for (size_t i = 0; i < q->Q.rows; i++) {
        const float *q_i = row(q->Q, i), *dO = row(q->dO, i);
        float D = dot(dO, row(q->O, i), q->O.cols);

        for (size_t j = 0; j < k->K.rows; j++) {
            float s = scale * dot(q_i, row(k->K, j), q->Q.cols);

            p[j] = expf(s - q->L[i]);
            ds[j] = p[j] * (dot(dO, row(k->V, j), q->O.cols) - D) * scale;
        }
        for (size_t j = 0; j < k->K.rows; j++) {
            axpy(row(k->dV, j), p[j], dO, q->O.cols);
            axpy(row(q->dQ, i), ds[j], row(k->K, j), q->Q.cols);
            axpy(row(k->dK, j), ds[j], q_i, q->Q.cols);
        }
    }
}
