/*
 * ./run --judge O.npy: is somebody's output right, and if not, what happened?
 * (attention_program.h)
 */
#include "common/program/attention_program.h"

#include "common/judge/reference.h"
#include "common/judge/reference_attention.h"
#include "common/judge/suspects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RIGHT = 0, WRONG = 1, CANNOT = 2 };
enum { MOST_SHOWN = 12 }; /* heads that are wrong, a line each */

/* Relative; fp32 stays below a fifth of it, unless scores are large: it grows as
 * they do, but an output that is off by a tenth is never right. */
static const double tolerance = 1e-5, never = 0.1;

/* Reads a file of that shape. */
static int read_as(const option *o, const npy_array *shape, npy_array *a)
{
    char given[NPY_SHAPE_MAX], wanted[NPY_SHAPE_MAX];

    if (npy_read(o->file, a))
        return CANNOT;
    if (a->dims == shape->dims &&
        memcmp(a->shape, shape->shape, a->dims * sizeof *a->shape) == 0)
        return 0;
    return option_refuse(o, "the shape is %s (%s is needed)",
                         npy_shape_text(a, given),
                         npy_shape_text(shape, wanted));
}

static int no_memory(void)
{
    fputs("float64: out of memory\n", stderr);
    return CANNOT;
}

/* The largest score that is attended, and not less than 16. */
static double largest_score(const head *h)
{
    double most = 16;

    for (size_t i = 0; i < h->Nq; i += tiles(h->Nq, 64))
        for (size_t j = 0; j < h->Nk; j++) {
            double s = fabs(reference_score(h, i, j));

            most = isfinite(s) ? fmax(most, s) : most;
        }
    return most;
}

/* --- Forward ---------------------------------------------------------------- */

typedef struct {
    const layer *l;
    const float *O, *L; /* somebody's; L: or NULL */
    double *o, *lse;    /* a head in float64 */
    size_t wrong;
    bool fits[SUSPECTS], tried[SUSPECTS];
    size_t Bc[SUSPECTS];
    table shown;
} judgement;

/* The first row that is off by as much as the head may be. */
static size_t first_wrong(const judgement *j, const head *h, const float *got,
                          double most)
{
    size_t i = 0;

    while (i + 1 < h->Nq &&
           relative_error(got + i * h->dv, j->o + i * h->dv, h->dv) <= most)
        i++;
    return i;
}

/* Every suspect that has fitted all wrong heads so far: most mistakes change
 * each head, but for those that leave some as they are. */
static int ask_suspects(judgement *j, size_t nth)
{
    for (size_t k = 0; k < SUSPECTS; k++) {
        size_t Bc;
        int fits;

        if (j->tried[k] && !j->fits[k])
            continue;
        fits = suspect_fits(k, j->l, nth, j->O, j->o, &Bc);
        if (fits < 0)
            return no_memory();
        j->tried[k] = true;
        j->fits[k] = fits;
        j->Bc[k] = Bc;
    }
    return 0;
}

static int judge_head(judgement *j, size_t nth)
{
    head h = head_at(j->l, nth);
    const float *got = j->O + nth * h.Nq * h.dv;
    double most = fmin(tolerance * largest_score(&h) / 16, never);
    double error, error_L = 0;

    if (reference_attention(&h, j->o, j->lse))
        return no_memory();
    error = relative_error(got, j->o, h.Nq * h.dv);
    if (j->L)
        error_L = relative_error(j->L + nth * h.Nq, j->lse, h.Nq);
    if (error <= most && error_L <= most)
        return 0;
    if (j->wrong++ < MOST_SHOWN) {
        size_t i = first_wrong(j, &h, got, most);
        size_t Br = j->l->each.tile.Br ? j->l->each.tile.Br : 64;

        table_row(&j->shown, "%zu, %zu|%s|%s|%zu|%zu of %zu", nth / j->l->Hq,
                  nth % j->l->Hq, error_text(error).text,
                  j->L ? error_text(error_L).text : "-", i, i / Br, Br);
    }
    return j->wrong <= 2 && !(error <= most) ? ask_suspects(j, nth) : 0;
}

static int sentence(const judgement *j)
{
    size_t named = 0;

    report_problem(j->l, 0);
    if (j->wrong == 0) {
        printf("All %zu heads are right.\n", heads_of(j->l));
        return RIGHT;
    }
    printf("%zu of %zu heads are wrong:\n", j->wrong, heads_of(j->l));
    table_print(&j->shown);
    puts("");
    for (size_t k = 0; k < SUSPECTS; k++)
        if (j->fits[k]) {
            named++;
            prose("%s", suspects[k].story);
            if (j->Bc[k])
                printf("(In tiles of %zu.)\n", j->Bc[k]);
        }
    if (!named)
        prose("It is none of the %d mistakes that were tried. 16-bit storage "
              "costs about 5e-04 (fp16) or 4e-03 (bf16).",
              SUSPECTS);
    for (size_t k = 0; k < SUSPECTS; k++)
        if (j->fits[k])
            printf("suspect: %s\n", suspects[k].name);
    if (!named)
        puts("suspect: none");
    return WRONG;
}

static int judge_forward(const request *r, const backward_layer *b)
{
    const attention_arrays *a = &b->forward;
    const head *h = &a->problem.each;
    npy_array O = {0}, L = {0};
    judgement j = {.l = &a->problem};
    int status = read_as(&r->o[OPT_JUDGE], &a->O, &O);

    if (status == 0 && r->o[OPT_JUDGE_LSE].given)
        status = read_as(&r->o[OPT_JUDGE_LSE], &a->L, &L);
    j.O = O.data;
    j.L = L.data;
    j.o = malloc((h->Nq * h->dv + 1) * sizeof *j.o);
    j.lse = malloc((h->Nq + 1) * sizeof *j.lse);
    if (status == 0 && (!j.o || !j.lse))
        status = no_memory();
    table_row(&j.shown, "batch, head|error of O|of L|first wrong row|its tile");
    for (size_t nth = 0; nth < heads_of(j.l) && status == 0; nth++) {
        progress("float64: head %zu of %zu", nth + 1, heads_of(j.l));
        status = judge_head(&j, nth);
    }
    progress_done();
    if (status == 0)
        status = sentence(&j);
    free(j.o);
    free(j.lse);
    npy_free(&O);
    npy_free(&L);
    return status;
}

/* --- Backward --------------------------------------------------------------- */

static int judge_backward(const request *r, backward_layer *b)
{
    const option *o = r->o;
    npy_array *const grads[] = {&b->dQ, &b->dK, &b->dV};
    const npy_array *const shapes[] = {&b->forward.Q, &b->forward.K,
                                       &b->forward.V};
    attention_truth truth = {0};
    gradient_errors e;
    int status = gradient_truth_of(b, &truth) ? CANNOT : 0;
    bool right = true;

    for (int k = 0; k < 3 && status == 0; k++)
        if (o[OPT_JUDGE_Q + k].given) {
            npy_free(grads[k]);
            status = read_as(&o[OPT_JUDGE_Q + k], shapes[k], grads[k]);
        }
    e = status ? (gradient_errors){0, 0, 0} : gradient_errors_of(b, &truth);
    if (status == 0)
        report_problem(&b->forward.problem, 0);
    for (int k = 0; k < 3 && status == 0; k++) {
        double error = k == 0 ? e.dQ : k == 1 ? e.dK : e.dV;
        bool near = error <= 2 * tolerance;

        if (!o[OPT_JUDGE_Q + k].given)
            continue;
        printf("d%c: the error is %s: %s\n", "QKV"[k], error_text(error).text,
               near ? "right" : "wrong");
        right &= near;
    }
    if (status == 0 && !right)
        puts("suspect: none");
    truth_free(&truth);
    return status ? status : right ? RIGHT : WRONG;
}

int judge(const request *r)
{
    backward_layer b;
    int status = request_problem(r, r->random ? &r->sizes : NULL, &b);

    status = status    ? CANNOT
             : r->back ? judge_backward(r, &b)
                       : judge_forward(r, &b);
    backward_free(&b);
    return status;
}
