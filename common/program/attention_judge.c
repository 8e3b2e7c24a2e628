/*
 * ./run --judge O.npy: is somebody's output right, and if not, what happened?
 * (attention_program.h)
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
    npy_array O, L;  /* somebody's; L: or none */
    double *o, *lse; /* a head in float64 */
    size_t wrong;
    double worst;                  /* error of O */
    bool asked, cleared[SUSPECTS]; /* they do not fit a head that is wrong */
    size_t Bc[SUSPECTS];
    table shown;
} judgement;

static void show(judgement *j, size_t nth, double error, double error_L,
                 double most)
{
    const head *h = &j->l->each;
    const float *got = j->O.data + nth * h->Nq * h->dv;
    size_t Br = h->tile.Br ? h->tile.Br : 64, i = 0;

    while (i + 1 < h->Nq &&
           relative_error(got + i * h->dv, j->o + i * h->dv, h->dv) <= most)
        i++;
    table_row(&j->shown, "%zu, %zu|%s|%s|%zu|%zu of %zu", nth / j->l->Hq,
              nth % j->l->Hq, error_text(error).text,
              j->L.data ? error_text(error_L).text : "-", i, i / Br, Br);
}

/* Most mistakes change each head; none is blamed for a head that they leave as it
 * is. */
static int ask_suspects(judgement *j, size_t nth)
{
    j->asked = true;
    for (size_t k = 0; k < SUSPECTS; k++) {
        int fits = 0;

        if (!j->cleared[k])
            fits = suspect_fits(k, j->l, nth, j->O.data, j->o, &j->Bc[k]);
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

    if (reference_attention(&h, j->o, j->lse))
        return 1;
    error = relative_error(j->O.data + nth * h.Nq * h.dv, j->o, h.Nq * h.dv);
    j->worst = isnan(j->worst + error) ? (double)NAN : fmax(j->worst, error);
    if (j->L.data)
        error_L = relative_error(j->L.data + nth * h.Nq, j->lse, h.Nq);
    if (error <= most && error_L <= most)
        return 0;
    if (j->wrong++ < MOST_SHOWN)
        show(j, nth, error, error_L, most);
    return error <= most ? 0 : ask_suspects(j, nth);
}

static int sentence(const judgement *j)
{
    size_t named = 0;

    report_problem(j->l, 0);
    printf("Heads that are wrong: %zu of %zu; the largest error of O: %s\n",
           j->wrong, heads_of(j->l), error_text(j->worst).text);
    if (j->wrong == 0)
        return RIGHT;
    table_print(&j->shown);
    puts("");
    for (size_t k = 0; k < SUSPECTS && j->asked; k++)
        if (!j->cleared[k]) {
            named++;
            prose("%s", suspects[k].story);
            if (j->Bc[k])
                printf("(In tiles of %zu.)\n", j->Bc[k]);
        }
    if (!named)
        prose("It is none of the %d mistakes that were tried. 16-bit storage "
              "costs about 5e-04 (fp16) or 4e-03 (bf16).",
              SUSPECTS);
    for (size_t k = 0; k < SUSPECTS && j->asked; k++)
        if (!j->cleared[k])
            printf("suspect: %s\n", suspects[k].name);
    if (!named)
        puts("suspect: none");
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

static int judge_backward(const request *r, backward_layer *b)
{
    const option *asked = &r->o.all[OPT(judge_q)];
    const attention_arrays *a = &b->forward;
    const npy_array *const shapes[] = {&a->Q, &a->K, &a->V};
    npy_array *const grads[] = {&b->dQ, &b->dK, &b->dV};
    const layer *l = &a->layer;
    attention_truth truth = {0};
    gradient_errors e;
    double most = 0;
    int status = RIGHT;

    for (int k = 0; k < 3; k++) {
        if (!asked[k].given)
            continue;
        npy_free(grads[k]);
        if (read_shaped(grads[k], asked[k].file, shapes[k]))
            return CANNOT;
    }
    if (gradient_truth_of(b, &truth))
        return CANNOT;
    for (size_t nth = 0; nth < heads_of(l); nth++) {
        head h = head_at(l, nth);

        most = fmax(most, 2 * allowed(r, &h));
    }
    report_problem(l, 0);
    e = gradient_errors_of(b, &truth);
    for (int k = 0; k < 3; k++) {
        double error = k == 0 ? e.dQ : k == 1 ? e.dK : e.dV;

        if (!asked[k].given)
            continue;
        printf("d%c: the error is %s: %s\n", "QKV"[k], error_text(error).text,
               error <= most ? "right" : "wrong");
        status = error <= most ? status : WRONG;
    }
    if (status != RIGHT)
        puts("suspect: none");
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
