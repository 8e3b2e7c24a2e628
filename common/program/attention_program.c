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
    for (size_t k = r->own; k < r->n; k++) {
        const attention_step *s = r->steps[k];

        printf("%s\t%s\t%s\n", s->name, precision_name(s->type), s->idea);
    }
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

/* What n steps were measured to be. */
static void print_tables(const request *r, const layer *p,
                         const measurement m[], size_t n)
{
    report_problem(p, r->M);
    if (r->files && p->Hk > p->each.Nk)
        prose("K has more heads than keys. If it is (B, N, H, d), its axes 1 "
              "and 2 are to be swapped, and those of Q and V: "
              "np.ascontiguousarray(k.swapaxes(1, 2)).");
    puts("");
    if (r->way->tables)
        r->way->tables(m, n);
    else
        report_steps(m, n);
}

static int write(const request *r, const backward_layer *b)
{
    const npy_array *const arrays[] = {&b->forward.O, &b->forward.L, &b->dQ,
                                       &b->dK, &b->dV};

    return outputs_write(&r->o[OPT_OUT], arrays, OPT_GRAD_V - OPT_OUT + 1);
}

static void say_next(const request *r, bool lesson)
{
    if (lesson)
        next_step("%s", r->way->next);
    else
        next_step("%s%s --help", r->way->called ? r->way->called : "./run",
                  r->back ? " --backward" : "");
}

/*
 * All steps or --step's; where files are to be written, one step, once. How
 * far off O is would then take float64 longer to say.
 */
static int show(const request *r)
{
    bool writes = options_given(r->o, OPT_OUT, OPT_GRAD_V) != NULL,
         judged = r->back || !writes;
    bool one = writes || r->o[OPT_STEP].given;
    bool bare = r->bare && r->way->lesson;
    size_t first = one ? r->step : 0, n = one ? 1 : r->also;
    measurement m[MOST_STEPS];
    attention_truth truth = {0};
    backward_layer b;
    int status;

    if (bare && r->way->opening)
        r->way->opening();
    status = request_problem(r, r->random ? &r->sizes : NULL, &b);
    if (status == 0 && judged)
        status = truth_for(r, &b, &truth);
    for (size_t k = 0; k < n && status == 0; k++)
        status = measure_step(r, &b, first + k, r->M, writes ? 1 : 3,
                              judged ? &truth : NULL, &m[k]);
    if (status == 0) {
        const layer *p = &b.forward.layer;

        print_tables(r, p, m, n);
        if (judged)
            print_known(r, p, &truth);
        puts("");
        if (bare) {
            status = r->way->lesson(p, r->M, m);
            puts("");
        }
        if (writes)
            status = write(r, &b);
        else
            say_next(r, bare);
    }
    truth_free(&truth);
    backward_free(&b);
    return status;
}

/* --- --csv and --sweep ------------------------------------------------------ */

/*
 * The base of a sweep is the random problem of the options, or files; d = 64 and
 * M = 16384 for tile shapes. 500 queries, because most tile sizes leave a rest of
 * them.
 */
typedef enum { ALL_STEPS, TILED_STEPS } which_steps;

/* A line for each step, or for the one asked for. */
static int print_steps(const request *r, const backward_layer *b, size_t M,
                       which_steps which)
{
    const option *step = &r->o[OPT_STEP];
    const layer *p = &b->forward.layer;
    attention_truth truth;
    measurement m;
    int status = truth_for(r, b, &truth);

    for (size_t k = 0; k < r->n && status == 0; k++) {
        if (step->given
                ? step->choice != k
                : k >= r->also || (which == TILED_STEPS && !r->steps[k]->tiles))
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
        status = print_steps(r, &b, M, ALL_STEPS);
    backward_free(&b);
    return status;
}

/* A sweep without a line would look like one that went well: it begins at
 * `first`, and was to end at `last`. */
static int too_low(const request *r, const char *what, size_t first,
                   size_t last)
{
    return refused(2, r->o[OPT_SWEEP].name, "%s %zu, beyond %zu", what, first,
                   last);
}

/* N = 64, 128, ... 4096 (2048 for the plots; half of that in the backward pass), or
 * up to --n; d = 8, 16, ... 128, or up to --d. Nk and dv follow, if they are
 * not given. */
static int sweep_sizes(const request *r, sweep what)
{
    random_sizes s = r->sizes;
    bool is_n = what == SWEEP_N;
    const option *o = r->o, *given = &o[is_n ? OPT_N : OPT_D];
    size_t *size = is_n ? &s.Nq : &s.d, *follows = is_n ? &s.Nk : &s.dv;
    bool fixed = o[is_n ? OPT_NK : OPT_DV].given;
    size_t first = is_n ? 64 : 8;
    size_t most = (r->bare ? 2048u : 4096u) / (r->back ? 2 : 1);
    size_t last = given->given ? given->size : is_n ? most : 128;
    int status = 0;

    if (last < first)
        return too_low(r, is_n ? "n begins at" : "d begins at", first, last);
    for (size_t n = first; n && n <= last && status == 0; n *= 2) {
        *size = n;
        *follows = fixed ? *follows : n;
        status = print_lines_of(r, &s, r->M);
    }
    return status;
}

/* M = powers of two from the least that will do to 65536, or to --sram. The
 * steps forward without tiles stay the same: they are printed once. */
static int sweep_sram(const request *r)
{
    size_t last = r->o[OPT_SRAM].given ? r->o[OPT_SRAM].size : 65536, M = 1;
    which_steps which = ALL_STEPS;
    random_sizes s = r->sizes;
    backward_layer b;
    int status = request_problem(r, &s, &b);
    const head *h = &b.forward.layer.each;

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
    random_sizes s = r->sizes;
    size_t M = r->o[OPT_SRAM].given ? r->o[OPT_SRAM].size : 16384, rows;
    which_steps which = ALL_STEPS;
    backward_layer b;
    head *h = &b.forward.layer.each;
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
        h->tile.Br = Br;
        h->tile.Bc = Bc;
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

static int print_csv(const request *r)
{
    const option *o = r->o;
    int status = 0;

    if (r->bare && r->way->csv)
        return r->way->csv(r->type);
    csv_begin();
    if (o[OPT_SWEEP].given)
        return print_sweep(r, (sweep)o[OPT_SWEEP].choice);
    if (!r->bare || r->way->tables)
        return print_lines_of(r, r->random ? &r->sizes : NULL, r->M);
    for (int what = 0; what < (r->back ? SWEEP_BR : SWEEPS) && status == 0;
         what++)
        status = print_sweep(r, (sweep)what);
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
        status = r.o[OPT_LIST].given                          ? print_list(&r)
                 : r.o[OPT_TRACE].given                       ? asked->trace()
                 : r.o[OPT_CSV].given                         ? print_csv(&r)
                 : options_given(r.o, OPT_JUDGE, OPT_JUDGE_V) ? judge(&r)
                                                              : show(&r);
    return report_end(status);
}
