#include "common/layer.h"

#include <limits.h>
#include <math.h>

void layer_give(layer *l, float *Q, float *K, float *V, float *O, float *L)
{
    head *h = &l->each;

    h->Q = hbm_of(Q, h->Nq, h->d);
    h->K = hbm_of(K, h->Nk, h->d);
    h->V = hbm_of(V, h->Nk, h->dv);
    h->O = hbm_of(O, h->Nq, h->dv);
    h->L = hbm_of(L, h->Nq, 1);
}

layer layer_of(const head *h)
{
    return (layer){1, 1, 1, 1, 1, false, *h};
}

size_t heads_of(const layer *l)
{
    return l->each.Nq ? l->B * l->Hq : 0;
}

static void move_to(array *a, size_t nth)
{
    *a = rows_of(*a, span_of(nth * a->hbm.rows, a->hbm.rows));
}

static rule rule_of_queries(rule r, span i)
{
    r.mask = rows_of(r.mask, i);
    r.offset += (long)i.first;
    return r;
}

rule rule_of_keys(rule r, span j)
{
    if (r.mask.hbm.data)
        r.mask.hbm = block(r.mask.hbm, 0, j.first, r.mask.hbm.rows, j.n);
    r.offset -= (long)j.first;
    return r;
}

/* Returns an equivalent rule for Nq queries and Nk keys. Its offset and window
 * are so small that no sum of sizes overflows. The offset is clamped to -Nq ..
 * Nk, and the window is shortened by the same amount. The queries still see the
 * same keys. ALiBi depends on the offset itself, so its clamp is at LONG_MAX /
 * 4. A window of high - low keys excludes no key. */
static rule rule_within_limits(rule r, size_t Nq, size_t Nk)
{
    const long far = LONG_MAX / 4;
    bool alibi = r.slope > 0;
    long low = alibi ? -far : -(long)Nq, high = alibi ? far : (long)Nk;
    long place = clamped(r.offset, low, high);
    size_t moved = place > r.offset ? (size_t)place - (size_t)r.offset
                                    : (size_t)r.offset - (size_t)place;

    r.offset = place;
    if (r.window)
        r.window = min_size(r.window > moved ? r.window - moved : 1,
                            (size_t)high - (size_t)low);
    return r;
}

head head_at(const layer *l, size_t nth)
{
    size_t b = nth / l->Hq, h = nth % l->Hq;
    size_t kv = b * l->Hk + h / (l->Hq / l->Hk);
    size_t mask =
        (l->mask_B == 1 ? 0 : b) * l->mask_H + (l->mask_H == 1 ? 0 : h);
    head one = l->each;

    move_to(&one.Q, nth);
    move_to(&one.K, kv);
    move_to(&one.V, kv);
    move_to(&one.rule.mask, mask);
    move_to(&one.O, nth);
    move_to(&one.L, nth);
    if (l->alibi)
        one.rule.slope = exp2f(-8 * (float)(h + 1) / (float)l->Hq);
    one.rule = rule_within_limits(one.rule, one.Nq, one.Nk);
    return one;
}

head head_of_queries(const head *h, span i)
{
    head part = *h;

    part.Nq = i.n;
    part.Q = rows_of(h->Q, i);
    part.O = rows_of(h->O, i);
    part.L = rows_of(h->L, i);
    part.m = rows_of(h->m, i);
    part.l = rows_of(h->l, i);
    part.P = rows_of(h->P, i);
    part.rule = rule_of_queries(h->rule, i);
    return part;
}
