/*
 * The program of chapters 04 to 07 (attention_program.h).
 */
#include "common/program/attention_program.h"

#include <string.h>

static int truth_for(const request *r, const backward_layer *b,
                     attention_truth *t)
{
    return r->back ? gradient_truth_of(b, t) : truth_of(&b->forward.layer, t);
}

/* t: NULL if the step is not to be judged, which is for the way forward alone. */
static int measure_step(const request *r, const backward_layer *b, size_t k,
                        size_t M, size_t runs, const attention_truth *t,
                        measurement *m)
{
    const layer *p = &b->forward.layer;

    return r->back ? measure_backward(b, r->steps[k], M, runs, t, m)
                   : measure_forward(p, r->steps[k], M, runs, t, m);
}

static int print_list(const request *r)
{
    for (size_t k = r->own; k < r->n; k++)
        printf("%s\t%s\t%s\n", r->names[k], precision_name(r->steps[k]->type),
               r->steps[k]->idea);
    return 0;
}

/* Of which rows, or heads, the error is, if not of all. */
static void print_known(const request *r, const layer *p,
                        const attention_truth *t)
{
    if (t->every > 1)
        printf("The error is of one row in %zu of %s.\n", t->every,
               count_text(t->rows).text);
    if (r->back && t->heads == 0 && heads_of(p) > 0)
        puts("No error is known: float64 would take too long.");
    else if (r->back && t->heads < heads_of(p))
        printf("The errors are of %zu of %zu heads.\n", t->heads, heads_of(p));
}

/*
 * All steps or --step's; where files are to be written, one step, once. How
 * far off O is would then take float64 longer to say.
 */
static int measure_all(const request *r, const backward_layer *b, bool writes)
{
    bool one = writes || r->o.step.given, judged = r->back || !writes;
    size_t first = one ? r->step : 0, n = one ? 1 : r->also;
    const layer *p = &b->forward.layer;
    measurement m[MOST_STEPS];
    attention_truth truth = {0};
    int status = judged ? truth_for(r, b, &truth) : 0;

    for (size_t k = 0; k < n && status == 0; k++)
        status = measure_step(r, b, first + k, r->M, writes ? 1 : 3,
                              judged ? &truth : NULL, &m[k]);
    if (status == 0) {
        report_problem(p, r->M);
        if (r->files && p->Hk > p->each.Nk)
            prose("K has more heads than keys. If it is (B, N, H, d), its axes "
                  "1 and 2 are to be swapped, and those of Q and V: "
                  "np.ascontiguousarray(k.swapaxes(1, 2)).");
        puts("");
        (r->way->tables ? r->way->tables : report_steps)(m, n);
        if (judged)
            print_known(r, p, &truth);
        puts("");
        if (r->bare && r->way->lesson) {
            status = r->way->lesson(p, r->M, m);
            puts("");
        }
    }
    truth_free(&truth);
    return status;
}

static int show(const request *r)
{
    const way *w = r->way;
    bool writes = options_given(r->o.all, OPT(out), OPT(grad_v));
    bool lesson = r->bare && w->lesson;
    backward_layer b;
    int status;

    if (lesson && w->opening)
        w->opening();
    status = request_problem(r, r->random ? &r->sizes : NULL, &b);
    if (status == 0)
        status = measure_all(r, &b, writes);
    if (status == 0 && writes)
        status = outputs_write(&r->o.all[OPT(out)],
                               (const npy_array *[]){&b.forward.O, &b.forward.L,
                                                     &b.dQ, &b.dK, &b.dV},
                               OPT(grad_v) - OPT(out) + 1);
    else if (status == 0 && lesson)
        next_step("%s", w->next);
    else if (status == 0)
        next_step("%s%s --help", w->called ? w->called : "./run",
                  r->back ? " --backward" : "");
    backward_free(&b);
    return status;
}

/* --- --csv and --sweep ------------------------------------------------------ */

/* A line for each step, or for the one asked for. After the first line of a sweep
 * the steps forward without tiles would stay the same. */
static int print_steps(const request *r, const backward_layer *b, size_t M,
                       bool first)
{
    const option *step = &r->o.step;
    const layer *p = &b->forward.layer;
    attention_truth truth;
    measurement m;
    int status = truth_for(r, b, &truth);

    for (size_t k = 0; k < r->n && status == 0; k++) {
        bool changes = first || r->back || r->steps[k]->tiles;

        if (step->given ? step->choice != k : k >= r->also || !changes)
            continue;
        progress("%s: %zu queries, d = %zu, M = %zu", r->names[k], p->each.Nq,
                 p->each.d, M);
        status = measure_step(r, b, k, M, 1, &truth, &m);
        progress_done();
        if (status == 0)
            csv_line(p, M, &m);
    }
    truth_free(&truth);
    return status;
}

/* The problem of these sizes (NULL: files or the bundled one), at M. */
static int print_lines_of(const request *r, const random_sizes *sizes, size_t M)
{
    backward_layer b;
    int status = request_problem(r, sizes, &b);

    if (status == 0)
        status = print_steps(r, &b, M, true);
    backward_free(&b);
    return status;
}

/* A sweep without a line would look like one that went well: it begins at
 * `first`, and was to end at `last`. */
static int too_low(const request *r, const char *what, size_t first,
                   size_t last)
{
    return refused(2, r->o.sweep.name, "%s begins at %s%zu, beyond %zu", what,
                   strcmp(what, "br") == 0 ? "M = " : "", first, last);
}

/* N = 64, 128, ... 4096 (2048 for the plots; half of that in the backward pass), or
 * up to --n; d = 8, 16, ... 128, or up to --d. Nk and dv follow, if they are
 * not given. */
static int sweep_sizes(const request *r, sweep what)
{
    const attention_options *o = &r->o;
    bool is_n = what == SWEEP_N;
    const option *given = is_n ? &o->n : &o->d, *other = is_n ? &o->nk : &o->dv;
    random_sizes s = r->sizes;
    size_t *size = is_n ? &s.Nq : &s.d, *follows = is_n ? &s.Nk : &s.dv;
    size_t first = is_n ? 64 : 8;
    size_t most = (r->bare ? 2048u : 4096u) / (r->back ? 2 : 1);
    size_t last = given->given ? given->size : is_n ? most : 128;
    int status = 0;

    if (last < first)
        return too_low(r, is_n ? "n" : "d", first, last);
    for (size_t n = first; n && n <= last && status == 0; n *= 2) {
        *size = n;
        *follows = other->given ? other->size : n;
        status = print_lines_of(r, &s, r->M);
    }
    return status;
}

/* M = powers of two from the least that will do to 65536, or to --sram. */
static int sweep_sram(const request *r)
{
    size_t last = r->o.sram.given ? r->o.sram.size : 65536, first = 1;
    backward_layer b;
    const head *h = &b.forward.layer.each;
    int status = request_problem(r, &r->sizes, &b);

    while (status == 0 && first < (r->back ? 4 : 2) * (h->d + h->dv))
        first *= 2;
    if (status == 0 && last < first)
        status = too_low(r, "sram", first, last);
    for (size_t M = first; M && M <= last && status == 0; M *= 2)
        status = print_steps(r, &b, M, M == first);
    backward_free(&b);
    return status;
}

/* M holds so many rows of Q and O, or of K and V; Br of them are a query
 * tile's, from 1/16 to 15/16, or one where that is all there can be. Here d = 64
 * and M = 16384; of 500 queries most tile sizes leave a rest. */
static int sweep_br(const request *r)
{
    const attention_options *o = &r->o;
    random_sizes s = r->sizes;
    size_t M = o->sram.given ? o->sram.size : 16384, rows = 0;
    backward_layer b;
    head *h = &b.forward.layer.each;
    bool first = true;
    int status;

    s.d = o->d.given ? s.d : 64;
    s.dv = o->dv.given ? s.dv : s.d;
    status = request_problem(r, &s, &b);
    if (status == 0)
        rows = min_size(M, SIZE_MAX / 16) / (h->d + h->dv);
    if (status == 0 && rows < 2)
        status = too_low(r, "br", 2 * (h->d + h->dv), M);
    for (size_t part = 1; part < 16 && status == 0; part++) {
        bool one = r->way->one_query;
        size_t Br = one ? 1 : rows * part / 16;
        size_t Bc = one ? (rows - 1) * part / 15 : rows - Br;

        if (Br == 0 || Bc == 0)
            continue;
        h->tile = (tile_sizes){Br, Bc};
        status = print_steps(r, &b, M, first);
        first = false;
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

static int print_csv(const request *r)
{
    sweep last = r->back ? SWEEP_SRAM : SWEEP_BR;
    int status = 0;

    if (r->bare && r->way->csv)
        return r->way->csv(r->type);
    csv_begin();
    if (r->o.sweep.given)
        return print_sweep(r, (sweep)r->o.sweep.choice);
    if (!r->bare || r->way->tables)
        return print_lines_of(r, r->random ? &r->sizes : NULL, r->M);
    for (sweep what = SWEEP_N; what <= last && status == 0; what++)
        status = print_sweep(r, what);
    return status;
}

/* --- The program ----------------------------------------------------------- */

bool asks_backward(int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--backward") == 0)
            return true;
    return false;
}

int attention_program(const way *forward, const way *back, int argc,
                      char **argv)
{
    const way *asked = back && asks_backward(argc, argv) ? back : forward;
    request r;
    int status;

    if (request_read(&r, asked, argc, argv, &status))
        status = r.o.list.given    ? print_list(&r)
                 : r.o.trace.given ? asked->trace()
                 : r.o.csv.given   ? print_csv(&r)
                 : options_given(r.o.all, OPT(judge), OPT(judge_v)) ? judge(&r)
                                                                    : show(&r);
    return report_end(status);
}
