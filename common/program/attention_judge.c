/*
 * ./run --judge O.npy: is a user's output right, and if not, which mistake explains
 * it? (attention_program.h)
 */
#include "common/program/attention_program.h"

#include "common/judge/errors.h"
#include "common/judge/reference_attention.h"
#include "common/judge/suspects.h"
#include "common/print/outside.h"

#include <math.h>
#include <stdlib.h>

enum { RIGHT = 0, WRONG = 1, CANNOT = 2 };
enum { MOST_SHOWN = 12 }; /* heads that are wrong, a line each */

/* Relative; fp32 stays below a fifth of it, unless scores are large: it grows as
 * they do, but an output that is off by a tenth is never right. */
static const double tolerance = 1e-5, never = 0.1;

/* How far off the head may be: --judge-error, or as its largest score has it. */
static double allowed(const request *r, const head *h)
{
    const option *error = &r->o.judge_error;
    double largest = 16;

    for (size_t i = 0; i < h->Nq; i += tiles(h->Nq, 64))
        for (size_t j = 0; j < h->Nk; j++) {
            double s = fabs(reference_score(h, i, j));

            largest = isfinite(s) ? fmax(largest, s) : largest;
        }
    return error->given ? (double)error->number
                        : fmin(tolerance * largest / 16, never);
}

/* --- Forward ---------------------------------------------------------------- */

typedef struct {
    const request *r;
    const layer *l;
    npy_array O, L;  /* the user's; L: or none */
    double *o, *lse; /* a head in float64 */
    size_t wrong;
    double worst;           /* error of O */
    int asked;              /* the arrays that are wrong: OF_O, OF_L */
    bool cleared[SUSPECTS]; /* they do not fit a head that is wrong */
    size_t Bc[SUSPECTS];
    table shown;
} judgement;

/* of: which of O and L are wrong. */
static void show(judgement *j, size_t nth, double error, double error_L,
                 double most, int of)
{
    const head *h = &j->l->each;
    size_t Br = h->tile.Br ? h->tile.Br : 64, i = h->Nq;

    if (of & OF_O)
        i = first_wrong_row(j->O.data + nth * h->Nq * h->dv, j->o, h->Nq, h->dv,
                            most * norm(j->o, h->Nq * h->dv));
    if (of & OF_L)
        i = min_size(i, first_wrong_row(j->L.data + nth * h->Nq, j->lse, h->Nq,
                                        1, most * size_of_lse(j->lse, h->Nq)));
    table_row(&j->shown, "%zu, %zu|%s|%s|%zu|%zu of %zu", nth / j->l->Hq,
              nth % j->l->Hq, error_text(error).text,
              j->L.data ? error_text(error_L).text : "-", i, i / Br, Br);
}

/* Most mistakes change each head; none is blamed for a head that they leave as it
 * is. */
static int ask_suspects(judgement *j, size_t nth, int of)
{
    head h = head_at(j->l, nth);

    j->asked |= of;
    for (size_t k = 0; k < SUSPECTS; k++) {
        int fits = 0;

        if (!(suspects[k].of & of) || j->cleared[k])
            continue;
        fits = suspects[k].of & OF_L
                   ? lse_suspect_fits(k, &h, j->L.data + nth * h.Nq)
                   : suspect_fits(k, j->l, nth, j->O.data, j->o, j->lse,
                                  &j->Bc[k]);
        if (fits < 0)
            return 1;
        j->cleared[k] = !fits;
    }
    return 0;
}

/* Returns 0, or 1 without memory. */
static int judge_head(judgement *j, size_t nth)
{
    head h = head_at(j->l, nth);
    double most = allowed(j->r, &h), error, error_L = 0;
    int of = 0;

    if (reference_attention(&h, j->o, j->lse))
        return 1;
    error = relative_error(j->O.data + nth * h.Nq * h.dv, j->o, h.Nq * h.dv);
    j->worst = isnan(j->worst + error) ? (double)NAN : fmax(j->worst, error);
    if (j->L.data)
        error_L = error_of_lse(j->L.data + nth * h.Nq, j->lse, h.Nq);
    of = (error <= most ? 0 : OF_O) | (error_L <= most ? 0 : OF_L);
    if (of && j->wrong++ < MOST_SHOWN)
        show(j, nth, error, error_L, most, of);
    return of ? ask_suspects(j, nth, of) : 0;
}

/* Prints the mistakes that were tried and explain what is wrong, last their
 * names for scripts. */
static void print_suspects(const bool cleared[], const size_t Bc[], int asked)
{
    size_t named = 0;

    puts("");
    for (size_t k = 0; k < SUSPECTS; k++)
        if (suspects[k].of & asked && !cleared[k]) {
            named++;
            prose("%s", suspects[k].story);
            if (Bc && Bc[k])
                printf("(In tiles of %zu.)\n", Bc[k]);
        }
    if (!named)
        prose("It is none of the %zu mistakes that were tried. 16-bit storage "
              "costs about 5e-04 (fp16) or 4e-03 (bf16).",
              suspects_of(asked));
    for (size_t k = 0; k < SUSPECTS; k++)
        if (suspects[k].of & asked && !cleared[k])
            printf("suspect: %s\n", suspects[k].name);
    if (!named)
        puts("suspect: none");
}

static int sentence(const judgement *j)
{
    report_problem(j->l, 0);
    printf("Heads that are wrong: %zu of %zu; the largest error of O: %s\n",
           j->wrong, heads_of(j->l), error_text(j->worst).text);
    if (j->wrong == 0)
        return RIGHT;
    table_print(&j->shown);
    print_suspects(j->cleared, j->Bc, j->asked);
    return WRONG;
}

static int judge_forward(const request *r, const backward_layer *b)
{
    const attention_arrays *a = &b->forward;
    const head *h = &a->layer.each;
    const option *lse = &r->o.judge_lse;
    judgement j = {.r = r, .l = &a->layer};
    int status = read_shaped(&j.O, r->o.judge.file, &a->O) ||
                         (lse->given && read_shaped(&j.L, lse->file, &a->L))
                     ? CANNOT
                     : RIGHT;

    j.o = malloc((h->Nq * h->dv + 1) * sizeof *j.o);
    j.lse = malloc((h->Nq + 1) * sizeof *j.lse);
    table_row(&j.shown, "batch, head|error of O|of L|first wrong row|its tile");
    for (size_t nth = 0; nth < heads_of(j.l) && status == RIGHT; nth++) {
        progress("float64: head %zu of %zu", nth + 1, heads_of(j.l));
        if (!j.o || !j.lse || judge_head(&j, nth))
            status = refused(CANNOT, "float64", "out of memory");
    }
    progress_done();
    if (status == RIGHT)
        status = sentence(&j);
    free(j.o);
    free(j.lse);
    npy_free(&j.O);
    npy_free(&j.L);
    return status;
}

/* --- Backward --------------------------------------------------------------- */

/* Prints the first wrong row of the gradient a (0: dQ, 1: dK, 2: dV); returns the
 * first query head of the group to which it belongs. */
static size_t print_wrong_row(const backward_layer *b,
                              const attention_truth *truth, int a,
                              double allowed)
{
    const layer *l = &b->forward.layer;
    const head *h = &l->each;
    size_t group = l->Hq / l->Hk, H = a == 0 ? l->Hq : l->Hk;
    size_t rows = a == 0 ? h->Nq : h->Nk, cols = a == 2 ? h->dv : h->d;
    size_t n = truth->heads / (a == 0 ? 1 : group), i;
    const npy_array *const got[] = {&b->dQ, &b->dK, &b->dV};
    const double *const want[] = {truth->dQ, truth->dK, truth->dV};

    i = first_wrong_row(got[a]->data, want[a], n * rows, cols, allowed);
    printf("  first wrong row: %zu of batch %zu, head %zu\n", i % rows,
           i / rows / H, i / rows % H);
    return i / rows / (a == 0 ? group : 1) * group;
}

static int ask_gradient_suspects(const backward_layer *b,
                                 const attention_truth *truth, size_t first,
                                 const bool given[3], double most)
{
    bool cleared[SUSPECTS] = {false};

    for (size_t k = 0; k < SUSPECTS; k++) {
        int fits = 0;

        if (!(suspects[k].of & OF_GRADIENTS))
            continue;
        progress("trying %s", suspects[k].name);
        fits = gradient_suspect_fits(k, b, first, truth, given, most);
        progress_done();
        if (fits < 0)
            return refused(CANNOT, "float64", "out of memory");
        cleared[k] = !fits;
    }
    print_suspects(cleared, NULL, OF_GRADIENTS);
    return WRONG;
}

static int judge_gradients(const request *r, const backward_layer *b,
                           const attention_truth *truth)
{
    const option *asked = &r->o.all[OPT(judge_q)];
    const bool given[] = {asked[0].given, asked[1].given, asked[2].given};
    const layer *l = &b->forward.layer;
    gradient_errors e = gradient_errors_of(b, truth);
    gradient_errors sizes = gradient_sizes_of(b, truth);
    size_t first = 0;
    double most = 0;
    int status = RIGHT;

    for (size_t nth = 0; nth < heads_of(l); nth++) {
        head h = head_at(l, nth);

        most = fmax(most, 2 * allowed(r, &h));
    }
    report_problem(l, 0);
    for (int a = 0; a < 3; a++) {
        double error = a == 0 ? e.dQ : a == 1 ? e.dK : e.dV;
        double size = a == 0 ? sizes.dQ : a == 1 ? sizes.dK : sizes.dV;
        bool right = error <= most;

        if (!given[a])
            continue;
        printf("d%c: the error is %s: %s\n", "QKV"[a], error_text(error).text,
               right ? "right" : "wrong");
        if (!right && truth->heads > 0) {
            size_t group = print_wrong_row(b, truth, a, most * size);

            first = status == RIGHT ? group : first;
        }
        status = right ? status : WRONG;
    }
    if (status == WRONG && truth->heads > 0)
        status = ask_gradient_suspects(b, truth, first, given, most);
    else if (status == WRONG)
        puts("suspect: none");
    return status;
}

static int judge_backward(const request *r, backward_layer *b)
{
    const option *asked = &r->o.all[OPT(judge_q)];
    const attention_arrays *a = &b->forward;
    const npy_array *const shapes[] = {&a->Q, &a->K, &a->V};
    npy_array *const grads[] = {&b->dQ, &b->dK, &b->dV};
    attention_truth truth = {0};
    int status;

    for (int k = 0; k < 3; k++) {
        if (!asked[k].given)
            continue;
        npy_free(grads[k]);
        if (read_shaped(grads[k], asked[k].file, shapes[k]))
            return CANNOT;
    }
    if (gradient_truth_of(b, &truth))
        return CANNOT;
    status = judge_gradients(r, b, &truth);
    truth_free(&truth);
    return status;
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
