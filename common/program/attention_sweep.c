/*
 * --csv and --sweep (attention_program.h). The base of a sweep is the random
 * problem of the options, or files; d = 64 and M = 16384 for tile shapes. 500
 * queries, because most tile sizes leave a rest of them.
 */
#include "common/program/attention_program.h"

#include "common/program/attention_report.h"

typedef enum { ALL_STEPS, TILED_STEPS } which_steps;

/* A line for each step, or for the one asked for. */
static int print_steps(const request *r, const backward_layer *b, size_t M,
                       which_steps which)
{
    const option *step = &r->o[OPT_STEP];
    const layer *p = &b->forward.problem;
    attention_truth truth;
    measurement m;
    int status = request_truth(r, b, &truth);

    for (size_t k = 0; k < r->n && status == 0; k++) {
        if (step->given
                ? step->choice != k
                : k >= r->also || (which == TILED_STEPS && !r->steps[k]->tiles))
            continue;
        progress("%s: %zu queries, d = %zu, M = %zu", r->names[k], p->each.Nq,
                 p->each.d, M);
        status = request_measure(r, b, k, M, 1, &truth, &m);
        progress_done();
        if (status == 0)
            csv_line(p, M, &m);
    }
    truth_free(&truth);
    return status;
}

/* The problem of these sizes (NULL: files or the bundled one), at M. */
static int print_problem(const request *r, const random_sizes *sizes, size_t M)
{
    backward_layer b;
    int status = request_problem(r, sizes, &b);

    if (status == 0)
        status = print_steps(r, &b, M, ALL_STEPS);
    backward_free(&b);
    return status;
}

/* A sweep without a line would look like one that went well: it begins at
 * `first`, and was to end at `last`. */
static int too_low(const request *r, const char *what, size_t first,
                   size_t last)
{
    return option_refuse(&r->o[OPT_SWEEP], "%s %zu, beyond %zu", what, first,
                         last);
}

/* N = 64, 128, ... 4096 (2048 for the plots; half of that on the way back), or
 * up to --n; d = 8, 16, ... 128, or up to --d. Nk and dv follow, if they are
 * not given. */
static int sweep_sizes(const request *r, sweep what)
{
    random_sizes s = asked_sizes(r->o);
    bool is_n = what == SWEEP_N;
    const option *o = r->o, *given = &o[is_n ? OPT_N : OPT_D];
    size_t *size = is_n ? &s.Nq : &s.d, *follows = is_n ? &s.Nk : &s.dv;
    bool fixed = o[is_n ? OPT_NK : OPT_DV].given;
    size_t first = is_n ? 64 : 8;
    size_t most = (asks_nothing(o) ? 2048u : 4096u) / (r->back ? 2 : 1);
    size_t last = given->given ? given->size : is_n ? most : 128;
    int status = 0;

    if (last < first)
        return too_low(r, is_n ? "n begins at" : "d begins at", first, last);
    for (size_t n = first; n && n <= last && status == 0; n *= 2) {
        *size = n;
        *follows = fixed ? *follows : n;
        status = print_problem(r, &s, r->M);
    }
    return status;
}

/* M = powers of two from the least that will do to 65536, or to --sram. The
 * steps forward without tiles stay the same: they are printed once. */
static int sweep_sram(const request *r)
{
    size_t last = r->o[OPT_SRAM].given ? r->o[OPT_SRAM].size : 65536, M = 1;
    which_steps which = ALL_STEPS;
    random_sizes s = asked_sizes(r->o);
    backward_layer b;
    int status = request_problem(r, &s, &b);
    const head *h = &b.forward.problem.each;

    if (status == 0)
        while (M < (r->back ? 4 : 2) * (h->d + h->dv))
            M *= 2;
    if (status == 0 && last < M)
        status = too_low(r, "sram begins at", M, last);
    for (; M && M <= last && status == 0; M *= 2) {
        status = print_steps(r, &b, M, which);
        which = r->back ? ALL_STEPS : TILED_STEPS;
    }
    backward_free(&b);
    return status;
}

/* M holds so many rows of Q and O, or of K and V; Br of them are a query
 * tile's, from 1/16 to 15/16, or one where that is all there can be. */
static int sweep_br(const request *r)
{
    random_sizes s = asked_sizes(r->o);
    size_t M = r->o[OPT_SRAM].given ? r->o[OPT_SRAM].size : 16384, rows;
    which_steps which = ALL_STEPS;
    backward_layer b;
    head *h = &b.forward.problem.each;
    int status;

    if (!r->o[OPT_D].given) {
        s.d = 64;
        s.dv = r->o[OPT_DV].given ? s.dv : s.d;
    }
    status = request_problem(r, &s, &b);
    rows = status ? 0 : min_size(M, SIZE_MAX / 16) / (h->d + h->dv);
    if (status == 0 && rows < 2)
        status = too_low(r, "br begins at M =", 2 * (h->d + h->dv), M);
    for (size_t part = 1; part < 16 && status == 0; part++) {
        size_t Br = rows * part / 16, Bc = rows - Br;

        if (r->way->one_query) {
            Br = 1;
            Bc = (rows - 1) * part / 15;
        }
        if (Br == 0 || Bc == 0)
            continue;
        h->Br = Br;
        h->Bc = Bc;
        status = print_steps(r, &b, M, which);
        which = TILED_STEPS;
    }
    backward_free(&b);
    return status;
}

static int print_sweep(const request *r, sweep what)
{
    return what == SWEEP_SRAM ? sweep_sram(r)
           : what == SWEEP_BR ? sweep_br(r)
                              : sweep_sizes(r, what);
}

int print_csv(const request *r)
{
    const option *o = r->o;
    random_sizes sizes = asked_sizes(o);
    int status = 0;

    if (asks_nothing(o) && r->way->csv)
        return r->way->csv(r->type);
    csv_begin();
    if (o[OPT_SWEEP].given)
        return print_sweep(r, (sweep)o[OPT_SWEEP].choice);
    if (!asks_nothing(o) || r->way->tables)
        return print_problem(r, asks_random(o) ? &sizes : NULL, r->M);
    for (int what = 0; what < (r->back ? SWEEP_BR : SWEEPS) && status == 0;
         what++)
        status = print_sweep(r, (sweep)what);
    return status;
}
