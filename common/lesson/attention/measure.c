#include "common/lesson/attention/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/judge/errors.h"
#include "common/judge/reference_attention.h"
#include "common/lesson/attention/heads.h"
#include "common/memory_limit.h"
#include "common/print/outside.h"

int step_failed(const char *name, const memory *mem, size_t least)
{
    fprintf(stderr, "%s%s: %s", least ? "--sram: " : "", name, mem->message);
    if (least)
        fprintf(stderr, " (allowed: at least %zu)", least);
    fputs("\n", stderr);
    return mem->error == MEMORY_FULL ? 1 : 2;
}

/* Returns the smallest M for which the step runs, with tiles of one row. */
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

/* The largest number of multiply-adds of the float64 reference. */
static const double budget = 1 << 27;

/* Returns the distance between sampled rows of O; 1 if all rows fit the budget.
 * Nq is often even. With an odd distance the sampled rows differ from head to
 * head. */
static size_t sampled_every(const layer *l, size_t rows)
{
    double row = (double)l->each.Nk * (double)(l->each.d + l->each.dv);
    double every = ceil((double)rows * row / budget);

    return every <= 1 ? 1 : min_size(rows, (size_t)every | 1);
}

/* Chooses the sampled rows (p->every). Returns 1 after an error line if the
 * problem's arrays and these rows in float64 exceed the memory, else 0. */
static int sample_rows(problem *p)
{
    const npy_array *all[] = {&p->Q, &p->K, &p->V, &p->O, &p->L};
    const layer *l = p->truth_of ? p->truth_of : &p->layer;
    size_t rows = heads_of(l) * l->each.Nq;
    char why[MEMORY_WHY];
    double bytes;

    p->every = sampled_every(l, rows);
    bytes =
        (double)tiles(rows, p->every) * (double)l->each.dv * sizeof *p->truth;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        bytes += (double)all[k]->size * sizeof(float);
    if (!memory_exceeded(bytes, why))
        return 0;
    return refused(1, "float64 reference", "with Q, K, V, O and L it needs %s",
                   why);
}

/* Computes rows 0, every, 2 every ... of O in float64. */
static int compute_truth(problem *p)
{
    const layer *l = p->truth_of ? p->truth_of : &p->layer;
    size_t Nq = l->each.Nq, dv = l->each.dv, rows = heads_of(l) * Nq;
    int failed;

    if (sample_rows(p))
        return 1;
    p->truth = malloc((tiles(rows, p->every) * dv + 1) * sizeof *p->truth);
    failed = p->truth == NULL;
    for (size_t k = 0; k * p->every < rows && !failed; k++) {
        size_t nth = k * p->every / Nq;
        head whole = head_at(l, nth);
        head query = head_of_queries(&whole, one(k * p->every % Nq));
        double L = 0;

        failed = reference_attention(&query, p->truth + k * dv, &L);
        if (!failed)
            reference_add_sink(sink_of(p, nth), 1, dv, p->truth + k * dv, &L);
    }
    if (failed) {
        free(p->truth);
        p->truth = NULL;
    }
    return failed ? refused(1, "float64 reference", "out of memory") : 0;
}

double problem_error(problem *p)
{
    const head *h = &p->layer.each;
    size_t rows = heads_of(&p->layer) * h->Nq, dv = h->dv;
    double squares = 0, size = 0;

    if (!p->truth && compute_truth(p)) {
        p->status = 1;
        return (double)NAN;
    }
    for (size_t k = 0; k * p->every < rows; k++) {
        const double *want = p->truth + k * dv;
        const float *got = h->O.hbm.data + k * p->every * dv;

        squares += squared_distance(got, want, dv);
        size += squared_norm(want, dv);
    }
    return squares == 0 ? 0 : sqrt(squares / size);
}

static int run_once(measurement *m, const problem *p)
{
    double start = stopwatch();
    int status = 0;
    memory mem;

    memory_init(&mem, p->M);
    if (heads_run(&p->layer, m->step, &mem)) {
        head h = head_at(&p->layer, 0);
        bool is_short = mem.error == MEMORY_TOO_SMALL && is_counted(m->step);

        status = step_failed(m->step->name, &mem,
                             is_short ? smallest_M(m->step, &h) : 0);
    }
    m->seconds = fmin(m->seconds, stopwatch() - start);
    m->counted = mem.counts;
    m->on_chip = mem.on_chip;
    m->extra = mem.extra;
    memory_reset(&mem);
    return status;
}

bool is_wanted(problem *p, const char *name)
{
    size_t used = strlen(p->steps);
    bool named = p->only && strcmp(p->only, name) == 0;

    snprintf(p->steps + used, sizeof p->steps - used, " %s", name);
    p->found = p->found || named;
    return p->status == 0 && (named || !p->only);
}

void measure_runs(measurement *m, problem *p, const attention_step *step,
                  size_t runs, bool judged)
{
    *m = (measurement){.step = step, .seconds = HUGE_VAL};
    if (!is_wanted(p, step->name))
        return;
    if (judged)
        p->status = sample_rows(p);
    if (p->status)
        return;
    m->tiles = step_tiles(step, &p->layer.each, p->M);
    m->done = true;
    for (size_t k = 0; k < runs && p->status == 0; k++)
        p->status = run_once(m, p);
    if (p->status == 0 && is_counted(step))
        m->formula = heads_formula(&p->layer, step, p->M);
    m->judged = p->status == 0 && judged;
    if (m->judged)
        m->error = problem_error(p);
}

void measure(measurement *m, problem *p, const attention_step *step)
{
    measure_runs(m, p, step, 3, true);
}

void print_plot_header(void)
{
    puts("step,N,d,M,Br,counted,formula");
}

int print_plot_line(const attention_step *step, size_t N, size_t d, size_t M,
                    tile_sizes t)
{
    const problem_sizes sizes = {1, 1, 1, N, N, d, d, 1};
    measurement m;
    problem p;

    problem_random(&p, &sizes);
    p.M = M;
    p.layer.each.tile = t;
    progress("%s: %zu queries, d = %zu, M = %zu", step->name, N, d, M);
    measure_runs(&m, &p, step, 1, false);
    progress_done();
    if (p.status == 0)
        printf("%s,%zu,%zu,%zu,%zu,%zu,%zu\n", step->name, N, d, M, m.tiles.Br,
               counts_moved(m.counted), counts_moved(m.formula));
    problem_free(&p);
    return p.status;
}

int check_step_name(problem *p)
{
    if (p->status == 0 && p->only && !p->found)
        p->status = refused(2, "--step", "'%s' is not allowed (allowed:%s)",
                            shown(p->only).text, p->steps);
    return p->status;
}

double crossed_over(const measurement *a, const measurement *b)
{
    return (double)counts_crossed(a->counted) /
           (double)counts_crossed(b->counted);
}
