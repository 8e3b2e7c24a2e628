/*
 * flash judge: are a user's O, L and gradients right, and if not, which common
 * mistake explains them? (commands.h)
 */
#include "06_flash2/flash/commands.h"

#include "common/judge/errors.h"
#include "common/judge/reference_attention.h"
#include "common/judge/suspects.h"
#include "common/print/outside.h"
#include "common/print/report.h"

#include <math.h>
#include <stdlib.h>

enum {
    JUDGED = PROBLEM_OPTIONS, LSE_IN, GRAD_OUT, GRAD_Q, GRAD_K, GRAD_V, ERROR,
    OPTIONS
};
enum { RIGHT = 0, WRONG = 1, CANNOT = 2 };
enum { MOST_SHOWN = 12 }; /* heads that are wrong, a line each */

/* Relative; fp32 stays below a fifth of it, unless scores are large: it grows as
 * they do, but an output that is off by a tenth is never right. */
static const double tolerance = 1e-5, never = 0.1;

/* How far off the head may be: --error, or as its largest score has it. */
static double allowed(const option o[], const head *h)
{
    const option *error = &o[ERROR];
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
    const option *o;
    const layer *l;
    npy_array O, L;  /* somebody's; L: or none */
    double *truth, *lse; /* a head in float64 */
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
           relative_error(got + i * h->dv, j->truth + i * h->dv, h->dv) <= most)
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
            fits = suspect_fits(k, j->l, nth, j->O.data, j->truth, &j->Bc[k]);
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
    double most = allowed(j->o, &h), error, error_L = 0;

    if (reference_attention(&h, j->truth, j->lse))
        return 1;
    error = relative_error(j->O.data + nth * h.Nq * h.dv, j->truth, h.Nq * h.dv);
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

    print_problem(j->l, 0);
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

static int judge_forward(const option o[], const problem *p)
{
    const head *h = &p->layer.each;
    judgement j = {.o = o, .l = &p->layer};
    int status =
        read_shaped(&j.O, o[JUDGED].file, &p->O) ||
                (o[LSE_IN].given && read_shaped(&j.L, o[LSE_IN].file, &p->L))
            ? CANNOT
            : RIGHT;

    j.truth = malloc((h->Nq * h->dv + 1) * sizeof *j.truth);
    j.lse = malloc((h->Nq + 1) * sizeof *j.lse);
    table_row(&j.shown, "batch, head|error of O|of L|first wrong row|its tile");
    for (size_t nth = 0; nth < heads_of(j.l) && status == RIGHT; nth++) {
        progress("float64: head %zu of %zu", nth + 1, heads_of(j.l));
        if (!j.truth || !j.lse || judge_head(&j, nth))
            status = refused(CANNOT, "float64", "out of memory");
    }
    progress_done();
    if (status == RIGHT)
        status = sentence(&j);
    free(j.truth);
    free(j.lse);
    npy_free(&j.O);
    npy_free(&j.L);
    return status;
}

/* --- Backward --------------------------------------------------------------- */

static int judge_backward(const option o[], user_problem *u)
{
    backward_problem *b = &u->b;
    problem *p = &b->forward;
    const npy_array *const shapes[] = {&p->Q, &p->K, &p->V};
    npy_array *const grads[] = {&b->dQ, &b->dK, &b->dV};
    gradient_errors e;
    double most = 0;
    int status = RIGHT;

    if (user_problem_backward(u, o[GRAD_OUT].file))
        return CANNOT;
    for (int k = 0; k < 3; k++) {
        if (!o[GRAD_Q + k].given)
            continue;
        npy_free(grads[k]);
        if (read_shaped(grads[k], o[GRAD_Q + k].file, shapes[k]))
            return CANNOT;
    }
    for (size_t nth = 0; nth < heads_of(&p->layer); nth++) {
        head h = head_at(&p->layer, nth);

        most = fmax(most, 2 * allowed(o, &h));
    }
    print_problem(&p->layer, 0);
    e = problem_gradient_errors(b);
    for (int k = 0; k < 3; k++) {
        double error = k == 0 ? e.dQ : k == 1 ? e.dK : e.dV;

        if (!o[GRAD_Q + k].given)
            continue;
        printf("d%c: the error is %s: %s\n", "QKV"[k], error_text(error).text,
               error <= most ? "right" : "wrong");
        status = error <= most ? status : WRONG;
    }
    if (status != RIGHT)
        puts("suspect: none");
    return status;
}

/* --- The command ------------------------------------------------------------ */

static const option_rule rules[] = {
    {LSE_IN, LSE_IN, ONLY_WITH, JUDGED, JUDGED},
    {JUDGED, JUDGED, NOT_WITH, GRAD_OUT, GRAD_V},
    {GRAD_OUT, GRAD_OUT, ONLY_WITH, GRAD_Q, GRAD_V},
    {0},
};

/* The first argument may be O.npy itself: "flash judge O.npy" is --o O.npy. */
static int parse(option o[], int argc, char **argv, int *status)
{
    const char about[] =
        "Compares your own O, L or gradients with float64, and names the "
        "mistake.\nExit code: 0 right, 1 wrong, 2 not judged.";
    const char examples[] =
        "  ./flash judge build/O.npy --causal\n"
        "  ./flash judge --dq dQ.npy --grad-out dO.npy --q Q.npy --k K.npy "
        "--v V.npy\n";

    if (argc > 1 && argv[1][0] != '-') {
        o[JUDGED].file = argv[1];
        o[JUDGED].given = true;
        argc--;
        argv++;
    }
    return options_parse(o, about, examples, argc, argv, status);
}

int judge_command(int argc, char **argv)
{
    option o[OPTIONS + 1] = {{0}};
    user_problem u;
    int status;

    problem_options(o);
    o[OPT_DV].name = "--value-cols"; /* --dv is a gradient here */
    o[OPT_DV].shown = "--value-cols dv";
    o[OPT_BR].help = "your kernel's tiles: queries, with --bc";
    o[OPT_BC].help = "and keys";
    o[OPT_SRAM].help = NULL;
    o[JUDGED] = (option)FILE_OPTION("o", "O.npy", "is this O right? (or first)");
    o[LSE_IN] = (option)FILE_OPTION("lse", "L.npy", "and this L, of it?");
    o[GRAD_OUT] =
        (option)FILE_OPTION("grad-out", "dO.npy", "(B, Hq, Nq, dv); else random");
    o[GRAD_Q] = (option)FILE_OPTION("dq", "dQ.npy", "is this gradient right?");
    o[GRAD_K] = (option)FILE_OPTION("dk", "dK.npy", "is this?");
    o[GRAD_V] = (option)FILE_OPTION("dv", "dV.npy", "is this?");
    o[ERROR] = (option)NUMBER_OPTION("error", "e", 0,
                                     "the relative error that is allowed");
    if (!parse(o, argc, argv, &status))
        return status;
    if (!o[JUDGED].given && !options_given(o, GRAD_Q, GRAD_V))
        return refused(CANNOT, "flash judge",
                       "no array to judge (O.npy, --dq, --dk or --dv)");
    if (options_obey(o, rules) || problem_check(o))
        return CANNOT;
    status = user_problem_of(&u, o, NULL) ? CANNOT
             : o[JUDGED].given            ? judge_forward(o, &u.b.forward)
                                          : judge_backward(o, &u);
    user_problem_free(&u);
    return status;
}
