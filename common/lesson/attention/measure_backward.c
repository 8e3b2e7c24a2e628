#include "common/lesson/attention/measure_backward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/judge/errors.h"
#include "common/judge/reference_attention.h"
#include "common/judge/reference_gradients.h"
#include "common/data/random.h"
#include "common/print/outside.h"

int backward_problem_set_up(backward_problem *b)
{
    problem *p = &b->forward;
    random_source source = random_seed(2);

    if (p->status == 0)
        p->status = npy_new(&b->dO, p->O.dims, p->O.shape) ||
                    npy_new(&b->dQ, p->Q.dims, p->Q.shape) ||
                    npy_new(&b->dK, p->K.dims, p->K.shape) ||
                    npy_new(&b->dV, p->V.dims, p->V.shape);
    if (p->status == 0)
        random_fill(&source, b->dO.data, b->dO.size, 1);
    return p->status;
}

static void free_truth(backward_problem *b)
{
    free(b->truth_Q);
    free(b->truth_K);
    free(b->truth_V);
    b->truth_Q = b->truth_K = b->truth_V = NULL;
}

void backward_free(backward_problem *b)
{
    problem_free(&b->forward);
    npy_free(&b->dO);
    npy_free(&b->dQ);
    npy_free(&b->dK);
    npy_free(&b->dV);
    free_truth(b);
}

gradients gradients_at(const backward_problem *b, size_t nth)
{
    return gradients_of(&b->forward.layer, nth, b->dO.data, b->dQ.data,
                        b->dK.data, b->dV.data);
}

/* --- Running ------------------------------------------------------------- */

/* Computes O and L of a head. `left` owns the other outputs (m, l or P). The
 * next call frees them. */
static int run_forward(gradients *g, const backward_step *step, memory *left)
{
    memory_reset(left);
    g->h = with_outputs(step->forward, &g->h, left);
    return step_run(step->forward, &g->h, left);
}

/* Calls step_failed; if M is too small, with the smallest sufficient M. */
static int failed(const backward_step *step, const memory *used,
                  const gradients *g)
{
    gradients query = gradients_of_queries(g, one(0));
    memory left, mem;
    size_t least;

    if (used->error != MEMORY_TOO_SMALL || !step->formula)
        return step_failed(step->name, used, 0);
    query.h.tile = (tile_sizes){1, 1};
    memory_init(&left, MEMORY_UNBOUNDED);
    run_forward(&query, step, &left);
    memory_init(&mem, MEMORY_UNBOUNDED);
    backward_step_run(step, &query, 1, &mem);
    least = max_size(left.on_chip, mem.on_chip);
    memory_reset(&mem);
    memory_reset(&left);
    return step_failed(step->name, used, least);
}

static int run_step(const gradients heads[], size_t n,
                    const backward_step *step, size_t M,
                    backward_measurement *m, double *seconds)
{
    double start = stopwatch();
    memory mem;
    int status = 0;

    memory_init(&mem, M);
    if (step->formula && n == 1)
        progress_of(
            &mem.counts.read[ALGORITHM],
            step->formula(heads, backward_step_tiles(step, &heads->h, M))
                .read[ALGORITHM]);
    if (backward_step_run(step, heads, n, &mem))
        status = failed(step, &mem, heads);
    progress_of(NULL, 0);
    *seconds += stopwatch() - start;
    counts_add(&m->counted, &mem.counts);
    memory_reset(&mem);
    return status;
}

/* Without queries no head runs, and the gradients of all keys are 0. */
int backward_run(backward_measurement *m, backward_problem *b,
                 const backward_step *step)
{
    size_t n = heads_of(&b->forward.layer), at_once = step->run_heads ? n : 1;
    gradients *heads = malloc(max_size(at_once, 1) * sizeof *heads);
    double seconds = 0;
    int status = 0;
    memory left;

    if (!heads)
        return refused(1, step->name, "out of memory for %zu heads", at_once);
    m->counted = (counts){.exps = 0};
    if (n == 0) {
        memset(b->dK.data, 0, b->dK.size * sizeof *b->dK.data);
        memset(b->dV.data, 0, b->dV.size * sizeof *b->dV.data);
    }
    memory_init(&left, b->forward.M);
    for (size_t nth = 0; nth < n && status == 0; nth++) {
        gradients *g = &heads[nth % at_once];

        progress("%s: head %zu of %zu", step->name, nth + 1, n);
        *g = gradients_at(b, nth);
        if (run_forward(g, step, &left))
            status = failed(step, &left, g);
        else if ((nth + 1) % at_once == 0)
            status = run_step(heads, at_once, step, b->forward.M, m, &seconds);
    }
    progress_done();
    m->seconds = fmin(m->seconds, seconds);
    m->forward = left.counts;
    memory_reset(&left);
    free(heads);
    return status;
}

static counts formula_of(const backward_problem *b, const backward_step *step)
{
    counts sum = {.exps = 0};

    for (size_t nth = 0; nth < heads_of(&b->forward.layer); nth++) {
        gradients g = gradients_at(b, nth);
        counts c =
            step->formula(&g, backward_step_tiles(step, &g.h, b->forward.M));

        counts_add(&sum, &c);
    }
    return sum;
}

/* --- The errors ---------------------------------------------------------- */

/* The largest numbers of multiply-adds of the float64 reference: of all groups,
 * and of the first group. 2^30 take about a second. */
static const double budget = 1 << 30, first_budget = 16.0 * (1 << 30);

/* Returns the number of heads that the budget allows. These are whole groups,
 * so that dK and dV are complete. */
static size_t heads_known(const layer *l)
{
    const head *h = &l->each;
    size_t heads = heads_of(l), group = heads ? l->Hq / l->Hk : 1;
    double each =
        (double)h->Nq * (double)h->Nk * (double)(3 * h->d + 2 * h->dv);
    size_t n = each * (double)heads <= budget ? heads : (size_t)(budget / each);

    if (heads > 0 && n < group && each * (double)group <= first_budget)
        return group;
    return n / group * group;
}

size_t known_queries(const backward_problem *b)
{
    return b->known * b->forward.layer.each.Nq;
}

size_t known_keys(const backward_problem *b)
{
    const layer *l = &b->forward.layer;

    return b->known ? b->known / (l->Hq / l->Hk) * l->each.Nk : 0;
}

static int compute_truth(backward_problem *b)
{
    const layer *l = &b->forward.layer;
    const head *h = &l->each;
    size_t n = heads_known(l), group = n ? l->Hq / l->Hk : 1;
    int failed;

    b->known = n;
    b->truth_Q = reference_numbers(known_queries(b) * h->d);
    b->truth_K = reference_numbers(known_keys(b) * h->d);
    b->truth_V = reference_numbers(known_keys(b) * h->dv);
    failed = !b->truth_Q || !b->truth_K || !b->truth_V;
    for (size_t nth = 0; nth < n && !failed; nth++) {
        size_t kv = nth / group;
        gradients g = gradients_at(b, nth);

        progress("float64: head %zu of %zu", nth + 1, n);
        failed = reference_gradients(&g, sink_of(&b->forward, nth),
                                     b->truth_Q + nth * h->Nq * h->d,
                                     b->truth_K + kv * h->Nk * h->d,
                                     b->truth_V + kv * h->Nk * h->dv) < 0;
    }
    progress_done();
    if (failed) {
        free_truth(b);
        b->known = 0;
        b->forward.status = refused(1, "float64 reference", "out of memory");
    }
    return failed;
}

/* Returns the largest finite norm of a row. */
static double largest_row(const float *a, size_t rows, size_t cols)
{
    double largest = 0;

    for (size_t i = 0; i < rows; i++, a += cols) {
        double squares = 0;

        for (size_t c = 0; c < cols; c++)
            squares += (double)a[c] * (double)a[c];
        if (isfinite(squares))
            largest = fmax(largest, squares);
    }
    return sqrt(largest);
}

gradient_errors gradient_sizes_of(const backward_problem *b)
{
    const problem *p = &b->forward;
    const head *h = &p->layer.each;
    size_t queries = known_queries(b), keys = known_keys(b);
    double dS = fabs((double)h->scale) *
                largest_row(b->dO.data, queries, h->dv) *
                largest_row(p->V.data, keys, h->dv) / 256;

    return (gradient_errors){
        fmax(norm_of(b->truth_Q, queries * h->d),
             dS * largest_row(p->K.data, keys, h->d) * sqrt((double)queries)),
        fmax(norm_of(b->truth_K, keys * h->d),
             dS * largest_row(p->Q.data, queries, h->d) * sqrt((double)keys)),
        norm_of(b->truth_V, keys * h->dv),
    };
}

static double error_for(const float *got, const double *want, size_t n,
                        double size)
{
    double off = distance_from(got, want, n);

    return off == 0 ? 0 : off / size;
}

gradient_errors problem_gradient_errors(backward_problem *b)
{
    const gradient_errors unknown = {(double)NAN, (double)NAN, (double)NAN};
    const head *h = &b->forward.layer.each;
    gradient_errors size;

    if (!b->truth_Q && compute_truth(b))
        return unknown;
    if (b->known == 0 && heads_of(&b->forward.layer) > 0)
        return unknown;
    size = gradient_sizes_of(b);
    return (gradient_errors){
        error_for(b->dQ.data, b->truth_Q, known_queries(b) * h->d, size.dQ),
        error_for(b->dK.data, b->truth_K, known_keys(b) * h->d, size.dK),
        error_for(b->dV.data, b->truth_V, known_keys(b) * h->dv, size.dV),
    };
}

double worst_gradient_error(gradient_errors e)
{
    return isnan(e.dQ + e.dK + e.dV) ? (double)NAN
                                     : fmax(e.dQ, fmax(e.dK, e.dV));
}

void measure_backward_runs(backward_measurement *m, backward_problem *b,
                           const backward_step *step, size_t runs)
{
    problem *p = &b->forward;

    *m = (backward_measurement){.step = step, .seconds = HUGE_VAL};
    if (!is_wanted(p, step->name))
        return;
    m->tiles = backward_step_tiles(step, &p->layer.each, p->M);
    m->done = true;
    for (size_t k = 0; k < runs && p->status == 0; k++)
        p->status = backward_run(m, b, step);
    if (p->status)
        return;
    if (step->formula)
        m->formula = formula_of(b, step);
    m->errors = problem_gradient_errors(b);
    m->error = worst_gradient_error(m->errors);
    m->judged = b->known > 0 || heads_of(&p->layer) == 0;
}

void measure_backward(backward_measurement *m, backward_problem *b,
                      const backward_step *step)
{
    measure_backward_runs(m, b, step, 3);
}

/* --- Tables -------------------------------------------------------------- */

/* Returns "-" for SIMD and GPU steps, which do not count operations. */
static words number(const backward_measurement *m, size_t n)
{
    return m->step->formula && m->step->run ? count_text(n) : (words){"-"};
}

static void print_work(const backward_measurement m[], size_t n)
{
    table t = {0};

    table_row(&t, "operations|products|exps|divisions|worst error|time");
    for (size_t k = 0; k < n; k++)
        if (m[k].done)
            table_row(&t, "%s|%zu|%s|%s|%s|%s", m[k].step->name,
                      m[k].step->products,
                      number(&m[k], m[k].counted.exps).text,
                      number(&m[k], m[k].counted.divisions).text,
                      m[k].judged ? error_text(m[k].error).text : "-",
                      time_text(m[k].seconds).text);
    table_print(&t);
}

void print_measured_backward(const backward_measurement m[], size_t n)
{
    tiles_line line = {.used = 0};
    table t = {0};
    size_t rows = 0;

    table_row(&t, "HBM, elements|read|written|by formula|init, mask|forward");
    for (size_t k = 0; k < n; k++)
        if (m[k].done && m[k].step->formula) {
            add_traffic(&t, m[k].step->name, &m[k].counted, &m[k].formula,
                        counts_moved(m[k].forward));
            rows++;
        }
    print_traffic(&t, rows);
    print_work(m, n);
    for (size_t k = 0; k < n; k++)
        if (m[k].done)
            add_tiles(&line, m[k].step->name, m[k].tiles);
    print_tiles(&line);
}

void print_known_heads(const backward_problem *b)
{
    size_t heads = heads_of(&b->forward.layer);

    if (b->known == 0 && heads > 0)
        puts("No error is computed: float64 would take too long.");
    else if (b->known < heads)
        printf("The errors cover %zu of %zu heads.\n", b->known, heads);
    puts("");
}
