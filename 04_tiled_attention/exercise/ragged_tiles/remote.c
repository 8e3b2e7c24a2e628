/*
 * ragged_attention, asked of a worker (remote_attention.h).
 * counted inside the worker: only_what_is_there_is_loaded
 * the skeleton holds: full_tiles_are_attended
 * the skeleton holds: no_keys_give_zeros
 */
#include "ragged_tiles.h"

#include <math.h>

#include "common/exp_minus.h"
#include "04_tiled_attention/exercise/remote_attention.h"

REMOTE_ATTENTION(ragged_attention)

#ifndef JUDGE
/* As in the tests' file. */
void attend_tile(running_row *r, float scale, matrix q, matrix K, matrix V)
{
    for (size_t j = 0; j < K.rows; j++) {
        float s = scale * dot(q.data, row(K, j), K.cols);
        float m_new = fmaxf(r->m, s);
        float alpha = exp_minus(r->m, m_new), p = exp_minus(s, m_new);

        r->l = alpha * r->l + p;
        rescale(r->o.data, alpha, r->o.cols);
        axpy(r->o.data, p, row(V, j), V.cols);
        r->m = m_new;
    }
}
#endif
