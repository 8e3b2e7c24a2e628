/*
 * A layer's heads, one by one or all at once (heads.h).
 */
#include "common/problem/heads.h"

#include "common/print/outside.h"
#include "common/print/report.h"
#include "common/problem/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Forward --------------------------------------------------------------- */

static int run_in_turn(const layer *l, const attention_step *step, memory *mem)
{
    size_t on_chip = 0, scratch = 0, extra = 0;
    double start = stopwatch();

    for (size_t nth = 0; nth < heads_of(l); nth++) {
        head one = head_at(l, nth);

        if (stopwatch() - start > 1)
            progress("%s: head %zu of %zu", step->name, nth + 1, heads_of(l));
        if (step_run(step, &one, mem))
            break;
        on_chip = max_size(on_chip, mem->on_chip);
        scratch = max_size(scratch, mem->scratch);
        extra = max_size(extra, mem->extra);
        memory_reset(mem);
    }
    progress_done();
    if (mem->error)
        return mem->error;
    mem->on_chip = on_chip;
    mem->scratch = scratch;
    mem->extra = extra;
    return 0;
}

int heads_run(const layer *l, const attention_step *step, memory *mem)
{
    if (heads_of(l) == 0)
        return 0;
    return step->run_layer ? step_run_layer(step, l, mem)
                           : run_in_turn(l, step, mem);
}

static bool is_short_of_M(const attention_step *step, const memory *mem)
{
    return mem->error == MEMORY_TOO_SMALL && is_counted(step);
}

/* least: the smallest M, or 0 if it is not for lack of M. */
static int failed(const attention_step *step, const memory *mem, size_t least)
{
    fprintf(stderr, "%s%s: %s", least ? "--sram: " : "", step->name,
            mem->message);
    if (least)
        fprintf(stderr, " (allowed: at least %zu)", least);
    fputs("\n", stderr);
    return mem->error == MEMORY_FULL ? 1 : 2;
}

/* The smallest M for the step: what one query takes, in tiles of one row. The
 * query is computed. */
static size_t smallest_M(const attention_step *step, const head *h)
{
    head query = head_of_queries(h, one(0));
    size_t least;
    memory mem;

    query.tile = (tile_sizes){1, 1};
    memory_init(&mem, MEMORY_UNBOUNDED);
    step_run(step, &query, &mem);
    least = mem.on_chip;
    memory_reset(&mem);
    return least;
}

int forward_run(const layer *l, const attention_step *step, size_t M,
                measurement *m)
{
    double start = stopwatch();
    int status = 0;
    memory mem;

    memory_init(&mem, M);
    if (heads_run(l, step, &mem) != 0) {
        head h = head_at(l, 0);
        bool is_short = is_short_of_M(step, &mem);

        status = failed(step, &mem, is_short ? smallest_M(step, &h) : 0);
    }
    m->seconds = fmin(m->seconds, stopwatch() - start);
    m->counted = mem.counts;
    m->on_chip = mem.on_chip;
    m->extra = mem.extra;
    memory_reset(&mem);
    return status;
}

counts heads_formula(const layer *l, const attention_step *step, size_t M)
{
    counts sum = {.exps = 0};

    if (step->layer_formula && heads_of(l)) {
        tile_sizes t = step_tiles(step, &l->each, M);
        layer tiled = *l;

        tiled.each.tile = t;
        sum = step->layer_formula(step, &tiled);
    }
    for (size_t nth = 0; nth < heads_of(l); nth++) {
        head one = head_at(l, nth);
        counts c = step->formula ? step_formula(step, &one, M)
                                 : sink_traffic(step, &one);

        counts_add(&sum, &c);
    }
    return sum;
}

/* --- Back: arrays --------------------------------------------------------- */

int read_shaped(npy_array *a, const char *file, const npy_array *as)
{
    char given[NPY_SHAPE_MAX], wanted[NPY_SHAPE_MAX];

    if (npy_read(file, a))
        return 1;
    if (a->dims == as->dims &&
        memcmp(a->shape, as->shape, a->dims * sizeof *a->shape) == 0)
        return 0;
    return refused(2, file, "the shape is %s (%s is needed)",
                   npy_shape_text(a, given), npy_shape_text(as, wanted));
}

int backward_arrays(backward_layer *b, const char *dO)
{
    const attention_arrays *a = &b->forward;
    random_source source = random_seed(2);

    if (npy_new(&b->dQ, a->Q.dims, a->Q.shape) ||
        npy_new(&b->dK, a->K.dims, a->K.shape) ||
        npy_new(&b->dV, a->V.dims, a->V.shape))
        return 1;
    if (dO)
        return read_shaped(&b->dO, dO, &a->O);
    if (npy_new(&b->dO, a->O.dims, a->O.shape))
        return 1;
    random_fill(&source, b->dO.data, b->dO.size, 1);
    return 0;
}

void backward_free(backward_layer *b)
{
    arrays_free(&b->forward);
    npy_free(&b->dO);
    npy_free(&b->dQ);
    npy_free(&b->dK);
    npy_free(&b->dV);
}

/* --- Back: heads ---------------------------------------------------------- */

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

gradients gradients_at(const backward_layer *b, size_t nth)
{
    return gradients_of(&b->forward.layer, nth, b->dO.data, b->dQ.data,
                        b->dK.data, b->dV.data);
}

/* --- Back: running -------------------------------------------------------- */

/* O and L of a head, and in `left` what its step leaves beside them, until the
 * next one. */
static int run_forward(gradients *g, const attention_step *step, memory *left)
{
    memory_reset(left);
    g->h = with_room(step->forward, &g->h, left);
    return step_run(step->forward, &g->h, left);
}

/* As failed, of the step or its forward pass, in which M must be enough for both
 * of them. */
static int failed_back(const attention_step *step, const memory *of,
                       const gradients *g)
{
    gradients query = gradients_of_queries(g, one(0));
    memory left, mem;
    size_t least;

    if (!is_short_of_M(step, of))
        return failed(step, of, 0);
    query.h.tile = (tile_sizes){1, 1};
    memory_init(&left, MEMORY_UNBOUNDED);
    run_forward(&query, step, &left);
    memory_init(&mem, MEMORY_UNBOUNDED);
    step_run_back(step, &query, 1, &mem);
    least = max_size(left.on_chip, mem.on_chip);
    memory_reset(&mem);
    memory_reset(&left);
    return failed(step, of, least);
}

static int run_step(const gradients heads[], size_t n,
                    const attention_step *step, size_t M, measurement *m,
                    double *seconds)
{
    double start = stopwatch();
    memory mem;
    int status = 0;

    memory_init(&mem, M);
    if (step_run_back(step, heads, n, &mem))
        status = failed_back(step, &mem, heads);
    *seconds += stopwatch() - start;
    m->on_chip = max_size(m->on_chip, mem.on_chip);
    m->extra = max_size(m->extra, mem.extra);
    counts_add(&m->counted, &mem.counts);
    memory_reset(&mem);
    return status;
}

/* One head after the other, or all at once: forward, and then the step. Without
 * queries there are no heads to run, but keys with no gradient. */
int backward_run(const backward_layer *b, const attention_step *step, size_t M,
                 measurement *m)
{
    size_t n = heads_of(&b->forward.layer), at_once = step->back_heads ? n : 1;
    gradients *heads = malloc(max_size(at_once, 1) * sizeof *heads);
    double start = stopwatch(), seconds = 0;
    int status = 0;
    memory left;

    if (!heads)
        return refused(1, step->name, "out of memory for %zu heads", at_once);
    m->counted = (counts){.exps = 0};
    if (n == 0) {
        memset(b->dK.data, 0, b->dK.size * sizeof *b->dK.data);
        memset(b->dV.data, 0, b->dV.size * sizeof *b->dV.data);
    }
    memory_init(&left, M);
    for (size_t nth = 0; nth < n && status == 0; nth++) {
        gradients *g = &heads[nth % at_once];

        if (stopwatch() - start > 1)
            progress("%s: head %zu of %zu", step->name, nth + 1, n);
        *g = gradients_at(b, nth);
        if (run_forward(g, step, &left))
            status = failed_back(step, &left, g);
        else if ((nth + 1) % at_once == 0)
            status = run_step(heads, at_once, step, M, m, &seconds);
    }
    progress_done();
    m->seconds = fmin(m->seconds, seconds);
    m->forward = left.counts;
    memory_reset(&left);
    free(heads);
    return status;
}

counts backward_formula(const backward_layer *b, const attention_step *step,
                        size_t M)
{
    counts sum = {.exps = 0};

    for (size_t nth = 0; nth < heads_of(&b->forward.layer); nth++) {
        gradients g = gradients_at(b, nth);
        counts c = step->back_formula(&g, step_tiles(step, &g.h, M));

        counts_add(&sum, &c);
    }
    return sum;
}
