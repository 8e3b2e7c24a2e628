/*
 * An attention sink, merged into the result of any step (sink.h).
 *
 * A sink is an additional key with score z and value 0, to which every query
 * attends. The normalised row is the state (m, l, o) = (L, 1, o), and the sink
 * alone is the state (z, 1, 0). The two are merged as in chapter 03:
 *
 *     m' = max(L, z)     l' = e^{L - m'} + e^{z - m'}
 *     o' = o e^{L - m'} / l'     L' = m' + ln l'
 *
 * docs/variants.md
 */
#include "06_flash2/variants/sink.h"

#include "common/lesson/attention/heads.h"
#include "common/scores.h"
#include "common/traffic.h"

/* ANCHOR: merge */
/* o is a buffer of 1 x dv. zeros has dv zeros, the value of the sink. */
static void merge_sink(const head *h, float z, memory *mem, size_t i, matrix o,
                       const float *zeros)
{
    float m, l = 1;

    load_floats_as(mem, AFTER, &m, h->L, one(i));
    load_as(mem, AFTER, &o, h->O, one(i));
    merge_part(mem, &m, &l, o.data, z, 1, zeros, h->dv);
    divide(mem, o.data, l, h->dv);
    m += logf(l);
    store_as(mem, AFTER, h->O, one(i), o);
    store_floats_as(mem, AFTER, h->L, one(i), &m);
}
/* ANCHOR_END: merge */

/* Merges the sink into m and l of query i, which flash1_backward reads. */
static void merge_into_state(const head *h, float z, memory *mem, size_t i)
{
    float m, l;

    load_floats_as(mem, AFTER, &m, h->m, one(i));
    load_floats_as(mem, AFTER, &l, h->l, one(i));
    merge_part(mem, &m, &l, NULL, z, 1, NULL, 0);
    store_floats_as(mem, AFTER, h->m, one(i), &m);
    store_floats_as(mem, AFTER, h->l, one(i), &l);
}

/* Multiplies P of query i by e^{L - L'}. L is still the value without the sink.
 * p is a buffer for a row of P. */
static void shrink_weights(const head *h, float z, memory *mem, size_t i,
                           matrix p)
{
    float L = *row(h->L.hbm, i), m = fmaxf(L, z), alpha = exp_minus(L, m);
    float l = alpha + exp_minus(z, m);

    p.cols = seen(h, one(i));
    load_as(mem, AFTER, &p, h->P, one(i));
    normalise(mem, p.data, ratio(l, alpha), p.cols);
    store_as(mem, AFTER, h->P, one(i), p);
}

static int merge_into_head(const step_with_sinks *s, const head *h, memory *mem)
{
    size_t nth = (size_t)(h->L.hbm.data - s->L) / s->Nq;
    float z = s->sinks[nth % s->Hq];
    matrix o, zeros, p;
    memory own;

    memory_init(&own, MEMORY_UNBOUNDED);
    o = scratch(&own, 1, h->dv);
    p = scratch(&own, 1, h->Nk);
    zeros = scratch(&own, 1, h->dv);
    fill(zeros, 0);
    for (size_t i = 0; i < h->Nq && !own.error; i++) {
        if (s->plain->leaves == LEAVES_M_L)
            merge_into_state(h, z, &own, i);
        if (s->plain->leaves == LEAVES_P)
            shrink_weights(h, z, &own, i, p);
        merge_sink(h, z, &own, i, o, zeros.data);
    }
    if (is_counted(s->plain))
        counts_add(&mem->counts, &own.counts);
    memory_return(mem, &own);
    return mem->error;
}

/* Runs plain and merges the sink. Allocates m, l or P if plain writes them. */
static int run_head(const step_with_sinks *s, const layer *l, memory *mem)
{
    head one = head_at(l, 0), h = with_outputs(s->plain, &one, mem);

    return s->plain->run(&h, mem) ? mem->error : merge_into_head(s, &h, mem);
}

static int run_with_sinks(const attention_step *step, const layer *l,
                          memory *mem)
{
    const step_with_sinks *s = (const step_with_sinks *)step;

    if (!s->plain->run_layer)
        return heads_of(l) == 1 ? run_head(s, l, mem)
                                : run_in_turn(l, step, mem);
    s->plain->run_layer(s->plain, l, mem);
    for (size_t nth = 0; nth < heads_of(l) && !mem->error; nth++) {
        head h = head_at(l, nth);

        merge_into_head(s, &h, mem);
    }
    return mem->error;
}

static counts sink_traffic(const attention_step *plain, const head *h)
{
    size_t n = h->Nq * (h->dv + 1);

    if (plain->leaves == LEAVES_M_L)
        n += 2 * h->Nq;
    if (plain->leaves == LEAVES_P)
        n += pairs_seen(h);
    return (counts){.read[AFTER] = n, .written[AFTER] = n};
}

/* The tile sizes are those of l->each. */
static counts traffic_with_sinks(const attention_step *step, const layer *l)
{
    const step_with_sinks *s = (const step_with_sinks *)step;
    counts sum = heads_formula(l, s->plain, MEMORY_UNBOUNDED);

    for (size_t nth = 0; nth < heads_of(l); nth++) {
        head h = head_at(l, nth);
        counts c = sink_traffic(s->plain, &h);

        counts_add(&sum, &c);
    }
    return sum;
}

void add_sinks(step_with_sinks *s, const attention_step *plain, const layer *l,
               const float *sinks)
{
    *s = (step_with_sinks){*plain,     plain, sinks, l->each.L.hbm.data,
                           l->each.Nq, l->Hq};
    s->step.run = NULL;
    s->step.run_layer = run_with_sinks;
    s->step.layer_formula = is_counted(plain) ? traffic_with_sinks : NULL;
}
