/*
 * ragged_attention, asked of a worker (tools/grade/remote_attention.h).
 * counted inside the worker: only_what_is_there_is_loaded
 */
#include "ragged_tiles.h"

#include "tools/grade/remote_attention.h"

#ifdef JUDGE
int ragged_attention(const head *h, memory *mem)
{
    return ask_attention(h, mem);
}
#else
#include <math.h>

#include "common/exp_minus.h"
#include "tools/grade/remote.h"

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

void serve(void)
{
    serve_attention(ragged_attention);
}
#endif
