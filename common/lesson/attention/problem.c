#include "common/lesson/attention/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/data/random.h"
#include "common/judge/reference_attention.h"
#include "common/lesson/bundled.h"
#include "common/memory_limit.h"
#include "common/print/outside.h"
#include "common/print/report.h"

/* An option, and the size that it sets. The work is the product of all. */
typedef struct {
    const char *option;
    size_t size;
} factor;

enum { FACTORS = 5 };

/* Stores the factors, and returns the first of the largest ones. */
static factor factors_of(const problem_sizes *s, factor all[FACTORS])
{
    const factor these[FACTORS] = {
        {"--batch", s->B},
        {s->Hk > s->Hq ? "--kv-heads" : "--heads", max_size(s->Hq, s->Hk)},
        {"--n", s->Nq},
        {"--nk", s->Nk},
        {s->dv > s->d ? "--dv" : "--d", max_size(s->d, s->dv)}};
    factor largest = these[0];

    memcpy(all, these, sizeof these);
    for (size_t k = 1; k < FACTORS; k++)
        if (these[k].size > largest.size)
            largest = these[k];
    return largest;
}

/* Refuses the sizes if Q, K, V, O, L and `more` bytes exceed the memory. */
static int check_memory(const problem_sizes *s, double more)
{
    double queries = (double)s->B * (double)s->Hq * (double)s->Nq;
    double keys = (double)s->B * (double)s->Hk * (double)s->Nk;
    double columns = (double)s->d + (double)s->dv;
    double elements = queries * (columns + 1) + keys * columns;
    factor all[FACTORS], largest = factors_of(s, all);
    char why[MEMORY_WHY];

    if (!memory_exceeded(sizeof(float) * elements + more, why))
        return 0;
    return refused(1, largest.option, "%zu is too large: it needs %s",
                   largest.size, why);
}

int check_sizes(const problem_sizes *s)
{
    const size_t limit = SIZE_MAX / 16; /* some formulas have a term 8 N^2 d */
    size_t left = limit;
    factor all[FACTORS], largest = factors_of(s, all);

    for (size_t k = 0; k < FACTORS; k++) {
        if (all[k].size > left)
            return refused(2, largest.option,
                           "%zu is too large (allowed: a product of batch, "
                           "heads, n, nk and d up to %zu)",
                           largest.size, limit);
        left /= max_size(all[k].size, 1);
    }
    if (s->Hk == 0 ? s->Hq == 0 : s->Hq % s->Hk == 0)
        return check_memory(s, 0);
    return refused(2, "--kv-heads",
                   "%zu query heads cannot share %zu key heads (allowed: a "
                   "whole multiple)",
                   s->Hq, s->Hk);
}

/* Returns dimension k of (B, H, N, d), or 1 if the array lacks it. */
static size_t size_at(const npy_array *a, size_t k)
{
    size_t missing = 4 - a->dims;

    return k < missing ? 1 : a->shape[k - missing];
}

int problem_set_up(problem *p)
{
    size_t shape[4] = {0}, dims = p->Q.dims;

    for (size_t k = 0; k + 1 < dims; k++)
        shape[k] = p->Q.shape[k];
    shape[dims - 1] = size_at(&p->V, 3);
    if (npy_new(&p->O, dims, shape) || npy_new(&p->L, dims - 1, shape))
        return 1;
    p->layer = (layer){
        .B = size_at(&p->Q, 0),
        .Hq = size_at(&p->Q, 1),
        .Hk = size_at(&p->K, 1),
        .each = {.Nq = size_at(&p->Q, 2),
                 .Nk = size_at(&p->K, 2),
                 .d = size_at(&p->Q, 3),
                 .dv = size_at(&p->V, 3),
                 .scale = 1 / sqrtf((float)size_at(&p->Q, 3))},
    };
    layer_give(&p->layer, p->Q.data, p->K.data, p->V.data, p->O.data,
               p->L.data);
    return 0;
}

int problem_bundled(problem *p)
{
    *p = (problem){.M = USUAL_M};
    p->status = bundled_missing() || npy_read(BUNDLED_Q, &p->Q) ||
                npy_read(BUNDLED_K, &p->K) || npy_read(BUNDLED_V, &p->V) ||
                problem_set_up(p);
    return p->status;
}

/* Adds a ramp from -height to height to column 0 of each head's K. */
static void tilt(npy_array *K, double height)
{
    size_t rows = K->shape[2], cols = K->shape[3];

    for (size_t i = 0; i < K->size / cols; i++)
        K->data[i * cols] +=
            (float)(height * (2.0 * (double)(i % rows) / (double)rows - 1));
}

int problem_random(problem *p, const problem_sizes *s)
{
    const size_t Q[] = {s->B, s->Hq, s->Nq, s->d};
    const size_t K[] = {s->B, s->Hk, s->Nk, s->d};
    const size_t V[] = {s->B, s->Hk, s->Nk, s->dv};
    random_source r = random_seed(s->seed);

    *p = (problem){.M = USUAL_M, .status = check_sizes(s)};
    if (p->status)
        return p->status;
    p->status = npy_new(&p->Q, 4, Q) || npy_new(&p->K, 4, K) ||
                npy_new(&p->V, 4, V) || problem_set_up(p);
    if (p->status)
        return p->status;
    progress("random numbers");
    random_fill(&r, p->Q.data, p->Q.size, 3);
    random_fill(&r, p->K.data, p->K.size, 1);
    random_fill(&r, p->V.data, p->V.size, 1);
    tilt(&p->K, sqrt((double)s->d));
    progress_done();
    return 0;
}

double sink_of(const problem *p, size_t nth)
{
    return p->sinks ? (double)p->sinks[nth % p->layer.Hq] : NO_SINK;
}

int problem_of(problem *p, const lesson_options *o, bytes_fn *more)
{
    const problem_sizes sizes = {1, 1, 1, o->n, o->nk, o->d, o->d, o->seed};
    const head one = {.Nq = o->n, .Nk = o->nk, .d = o->d, .dv = o->d};
    head *h = &p->layer.each;

    *p = (problem){.status = o->n ? check_sizes(&sizes) : 0};
    if (o->n && p->status == 0)
        p->status = check_memory(&sizes, more(&one, o->step));
    if (p->status)
        return p->status;
    if (o->n)
        problem_random(p, &sizes);
    else
        problem_bundled(p);
    p->M = o->sram;
    p->only = o->step;
    h->rule.causal = o->causal;
    h->rule.offset = (long)h->Nk - (long)h->Nq;
    return p->status;
}

void problem_free(problem *p)
{
    npy_free(&p->Q);
    npy_free(&p->K);
    npy_free(&p->V);
    npy_free(&p->O);
    npy_free(&p->L);
    free(p->truth);
    p->truth = NULL;
}
