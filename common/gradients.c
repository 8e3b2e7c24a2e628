#include "common/gradients.h"

#include "common/layer.h"

static array nth_of(float *all, size_t nth, size_t rows, size_t cols)
{
    return hbm_of(all + nth * rows * cols, rows, cols);
}

gradients gradients_of(const layer *l, size_t nth, float *dO, float *dQ,
                       float *dK, float *dV)
{
    size_t group = l->Hq / l->Hk, kv = nth / group;
    head h = head_at(l, nth);

    return (gradients){
        .h = h,
        .dO = nth_of(dO, nth, h.Nq, h.dv),
        .dQ = nth_of(dQ, nth, h.Nq, h.d),
        .dK = nth_of(dK, kv, h.Nk, h.d),
        .dV = nth_of(dV, kv, h.Nk, h.dv),
        .add = nth % group != 0,
    };
}

gradients gradients_of_queries(const gradients *g, span i)
{
    gradients part = *g;

    part.h = head_of_queries(&g->h, i);
    part.dO = rows_of(g->dO, i);
    part.dQ = rows_of(g->dQ, i);
    return part;
}

gradients gradients_of_keys(const gradients *g, span j)
{
    gradients part = *g;

    part.h.Nk = j.n;
    part.h.K = rows_of(g->h.K, j);
    part.h.V = rows_of(g->h.V, j);
    part.h.rule = rule_of_keys(g->h.rule, j);
    part.dK = rows_of(g->dK, j);
    part.dV = rows_of(g->dV, j);
    return part;
}

void clear_unseen(const gradients *g, memory *mem)
{
    size_t keys = seen(&g->h, all(g->h.Nq));
    span rest = span_of(keys, g->h.Nk - keys);

    if (g->add)
        return;
    fill_as(mem, INIT, rows_of(g->dK, rest), 0);
    fill_as(mem, INIT, rows_of(g->dV, rest), 0);
}

void begin_sum(const gradients *g, memory *mem, matrix *tile, array sums,
               span j)
{
    clear(tile, j);
    if (g->add)
        load(mem, tile, sums, j);
}

void exponentiate_divided(memory *mem, const head *h, float *s, size_t n,
                          float m, float l)
{
    for (size_t j = 0; j < n; j++)
        s[j] = s[j] == -INFINITY ? 0 : round_to(h->P_type, expf(s[j] - m) / l);
    mem->counts.exps += n;
    mem->counts.divisions += n;
}

/* Returns the derivative of the final score with respect to q . k. */
static float slope(const head *h, const float *q, const float *k)
{
    float t;

    if (h->rule.softcap == 0)
        return h->scale;
    t = tanhf(h->scale * dot(q, k, h->d) / h->rule.softcap);
    return h->scale * (1 - t * t);
}

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

int backward_step_run(const backward_step *step, const gradients *heads,
                      size_t n, memory *mem)
{
    return step->run_heads ? step->run_heads(step, heads, n, mem)
                           : step->run(heads, mem);
}

tile_sizes backward_step_tiles(const backward_step *step, const head *h,
                               size_t M)
{
    return step->tiles ? step->tiles(h, M) : (tile_sizes){0, 0};
}
