/*
 * Running a step (step.h).
 */
#include "common/step.h"

#include "common/scores.h"
#include "common/traffic.h"

/* --- Outputs in addition to O and L -------------------------------------- */

/* Returns the caller's array, or allocates one; counts it as extra memory. */
static array extra(memory *mem, array given, size_t rows, size_t cols)
{
    if (!given.hbm.data)
        return hbm_scratch(mem, rows, cols, given.type);
    mem->extra += rows * cols;
    return given;
}

head with_room(const attention_step *step, const head *h, memory *mem)
{
    head whole = *h;

    if (step->leaves == LEAVES_P)
        whole.P = extra(mem, h->P, h->Nq, h->Nk);
    if (step->leaves == LEAVES_M_L) {
        whole.m = extra(mem, h->m, h->Nq, 1);
        whole.l = extra(mem, h->l, h->Nq, 1);
    }
    return whole;
}

/* --- A sink -------------------------------------------------------------- */

/* A sink is one more key, with score z and value 0. The normalised row is the
 * state (L, 1, o); the sink alone is the state (z, 1, 0). The two are merged
 * like any two parts of a row, as in chapter 03. */
static void merge_sink(const head *h, memory *mem, size_t i, matrix o,
                       const float *zeros)
{
    float m, l = 1;

    load_floats_as(mem, SINK, &m, h->L, one(i));
    load_as(mem, SINK, &o, h->O, one(i));
    merge_part(mem, &m, &l, o.data, *h->rule.sink, 1, zeros, h->dv);
    divide(mem, o.data, l, h->dv);
    m += logf(l);
    store_as(mem, SINK, h->O, one(i), o);
    store_floats_as(mem, SINK, h->L, one(i), &m);
}

/* The same for the row's m and l, from which a backward step computes
 * weights. */
static void merge_into_state(const head *h, memory *mem, size_t i)
{
    float m, l;

    load_floats_as(mem, SINK, &m, h->m, one(i));
    load_floats_as(mem, SINK, &l, h->l, one(i));
    merge_part(mem, &m, &l, NULL, *h->rule.sink, 1, NULL, 0);
    store_floats_as(mem, SINK, h->m, one(i), &m);
    store_floats_as(mem, SINK, h->l, one(i), &l);
}

/* The same for the row's weights: they were divided by e^L, and L is now
 * larger. */
static void shrink_weights(const head *h, memory *mem, size_t i, matrix p,
                           float L)
{
    float m = fmaxf(L, *h->rule.sink), alpha = exp_minus(L, m);
    float l = alpha + exp_minus(*h->rule.sink, m);

    p.cols = seen(h, one(i));
    load_as(mem, SINK, &p, h->P, one(i));
    normalise(mem, p.data, ratio(l, alpha), p.cols);
    store_as(mem, SINK, h->P, one(i), p);
}

static int merge_sinks(const attention_step *step, const head *h, memory *mem)
{
    matrix o, zeros, p;
    memory own;

    if (mem->error || !h->rule.sink)
        return mem->error;
    memory_init(&own, MEMORY_UNBOUNDED);
    o = scratch(&own, 1, h->dv);
    p = scratch(&own, 1, h->Nk);
    zeros = scratch(&own, 1, h->dv);
    fill(zeros, 0);
    for (size_t i = 0; i < h->Nq && !own.error; i++) {
        if (step->leaves == LEAVES_M_L)
            merge_into_state(h, &own, i);
        if (step->leaves == LEAVES_P)
            shrink_weights(h, &own, i, p, *row(h->L.hbm, i));
        merge_sink(h, &own, i, o, zeros.data);
    }
    if (is_counted(step))
        counts_add(&mem->counts, &own.counts);
    memory_return(mem, &own);
    return mem->error;
}

counts sink_traffic(const attention_step *step, const head *h)
{
    size_t n = h->Nq * (h->dv + 1);

    if (!h->rule.sink)
        return (counts){.exps = 0};
    if (step->leaves == LEAVES_M_L)
        n += 2 * h->Nq;
    if (step->leaves == LEAVES_P)
        n += pairs_seen(h);
    return (counts){.read[SINK] = n, .written[SINK] = n};
}

/* --- Running ------------------------------------------------------------- */

int step_run(const attention_step *step, const head *h, memory *mem)
{
    head whole = with_room(step, h, mem);
    layer alone = layer_of(h);

    if (!step->run)
        return step_run_layer(step, &alone, mem);
    step->run(&whole, mem);
    return merge_sinks(step, &whole, mem);
}

int step_run_layer(const attention_step *step, const layer *l, memory *mem)
{
    step->run_layer(step, l, mem);
    for (size_t nth = 0; nth < heads_of(l); nth++) {
        head h = head_at(l, nth);

        merge_sinks(step, &h, mem);
    }
    return mem->error;
}

int step_run_back(const attention_step *step, const gradients *heads, size_t n,
                  memory *mem)
{
    return step->back_heads ? step->back_heads(step, heads, n, mem)
                            : step->back(heads, mem);
}

tile_sizes step_tiles(const attention_step *step, const head *h, size_t M)
{
    return step->tiles ? step->tiles(h, M) : (tile_sizes){0, 0};
}

counts step_formula(const attention_step *step, const head *h, size_t M)
{
    counts sum = step->formula(h, step_tiles(step, h, M));
    counts sink = sink_traffic(step, h);

    counts_add(&sum, &sink);
    return sum;
}
