/*
 * What the backward kernels share (gradients.h).
 */
#include "common/gradients.h"

#include <math.h>

int backward_step_run(const attention_step *step, const gradients *g,
                      memory *mem)
{
    return step->back ? step->back(g, mem) : step->back_heads(step, g, 1, mem);
}

gradients gradients_of_queries(const gradients *g, size_t i0, size_t n)
{
    gradients part = *g;

    part.h = head_of_queries(&g->h, i0, n);
    part.dO = rows_of(g->dO, i0, n);
    part.dQ = rows_of(g->dQ, i0, n);
    return part;
}

gradients gradients_of_keys(const gradients *g, size_t j0, size_t n)
{
    gradients part = *g;

    part.h.Nk = n;
    part.h.K = rows_of(g->h.K, j0, n);
    part.h.V = rows_of(g->h.V, j0, n);
    part.h.offset -= (long)j0;
    part.h.blocks.j0 += j0;
    if (g->h.mask.hbm.data)
        part.h.mask.hbm = block(g->h.mask.hbm, 0, j0, g->h.Nq, n);
    part.dK = rows_of(g->dK, j0, n);
    part.dV = rows_of(g->dV, j0, n);
    return part;
}

void clear_unseen(const gradients *g, memory *mem, size_t seen)
{
    if (g->add)
        return;
    fill_as(mem, INIT, rows_of(g->dK, seen, g->h.Nk - seen), 0);
    fill_as(mem, INIT, rows_of(g->dV, seen, g->h.Nk - seen), 0);
}

void normalised_weights(const head *h, float *s, size_t n, float m, float l)
{
    for (size_t j = 0; j < n; j++)
        s[j] = s[j] == -INFINITY ? 0 : round_to(h->P, expf(s[j] - m) / l);
}

/* ANCHOR: slope */
/* How the final score changes with q . k. */
static float slope(const head *h, const float *q, const float *k)
{
    float t;

    if (h->softcap == 0)
        return h->scale;
    t = tanhf(h->scale * dot(q, k, h->d) / h->softcap);
    return h->scale * (1 - t * t);
}
/* ANCHOR_END: slope */

/* ANCHOR: score_gradient */
float score_gradient(const gradients *g, float p, float dp, float D,
                     const float *q, const float *k)
{
    if (p == 0)
        return 0;
    return round_to(g->dS, p * (dp - D)) * slope(&g->h, q, k);
}
/* ANCHOR_END: score_gradient */

void score_gradients(const gradients *g, float *ds, const float *p,
                     const float *dO, matrix V, float D, const float *q,
                     matrix K)
{
    for (size_t j = 0; j < V.rows; j++)
        ds[j] = score_gradient(g, p[j], dot(dO, row(V, j), V.cols), D, q,
                               row(K, j));
}

void add_to_keys(matrix A, const float *p, const float *x, const float *y)
{
    for (size_t j = 0; j < A.rows; j++)
        if (p[j] != 0)
            axpy(row(A, j), x[j], y, A.cols);
}

void add_to_query(float *dq, float *sum, const float *p, const float *ds,
                  matrix K)
{
    for (size_t c = 0; c < K.cols; c++)
        sum[c] = 0;
    for (size_t j = 0; j < K.rows; j++)
        if (p[j] != 0)
            axpy(sum, ds[j], row(K, j), K.cols);
    axpy(dq, 1, sum, K.cols);
}
