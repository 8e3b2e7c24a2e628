#include "tools/flash/commands.h"
#include "tools/flash/judge_errors.h"
#include "tools/flash/known_mistakes.h"
#include "tools/flash/large_masks.h"

#include "common/judge/errors.h"
#include "common/judge/reference_attention.h"
#include "common/print/outside.h"
#include "common/print/report.h"

#include <math.h>
#include <stdlib.h>

enum {
    JUDGED = PROBLEM_OPTIONS,
    LSE_IN,
    GRAD_OUT,
    GRAD_Q,
    GRAD_K,
    GRAD_V,
    ERROR,
    OPTIONS
};
enum { RIGHT = 0, WRONG = 1, CANNOT = 2 };
enum { MOST_SHOWN = 12 }; /* wrong heads */

/* Relative errors. `tolerance` is for scores of up to 16. Then an fp32 result
 * has less than a fifth of this error. The default limit is at most `never`. */
static const double tolerance = 1e-5, never = 0.1;

/* Returns the largest |score| of row i that counts in fp32. Ignores keys with a
 * negligible weight, and large masks (large_masks.h). */
static double largest_score(const head *h, size_t i)
{
    double m = -HUGE_VAL, largest = 0;

    for (size_t j = 0; j < h->Nk; j++)
        m = fmax(m, reference_score(h, i, j));
    for (size_t j = 0; j < h->Nk; j++) {
        double s = reference_score(h, i, j);

        if (s > m - 104 && isfinite(s) && !has_large_mask(h, i, j))
            largest = fmax(largest, fabs(s));
    }
    return largest;
}

/* Returns --error, or by default an error that grows with the scores. */
static double allowed(const option o[], const head *h)
{
    const option *error = &o[ERROR];
    double largest = 16;

    for (size_t i = 0; i < h->Nq; i += tiles(h->Nq, 64))
        largest = fmax(largest, largest_score(h, i));
    return error->given ? (double)error->number
                        : fmin(tolerance * largest / 16, never);
}

/* --- Forward -------------------------------------------------------------- */

typedef struct {
    const option *o;
    const problem *p;
    const layer *l;
    npy_array O, L;               /* the user's arrays; L may be empty */
    double *truth, *lse;          /* O and L of a head in float64 */
    size_t wrong;                 /* number of wrong heads */
    double worst;                 /* largest error of O of a head */
    int arrays;                   /* the arrays that are wrong: OF_O, OF_L */
    bool cleared[KNOWN_MISTAKES]; /* mistakes that cannot explain the error */
    size_t Bc[KNOWN_MISTAKES];    /* the tile size of a mistake, or 0 */
    table shown;
} judgement;

/* Adds a wrong head to the table. arrays is OF_O, OF_L or both. */
static void show(judgement *j, size_t nth, double error, double error_L,
                 double limit, int arrays)
{
    const head *h = &j->l->each;
    size_t Br = h->tile.Br ? h->tile.Br : 64, i = h->Nq;

    if (arrays & OF_O)
        i = first_wrong_row(j->O.data + nth * h->Nq * h->dv, j->truth, h->Nq,
                            h->dv, limit * norm_of(j->truth, h->Nq * h->dv));
    if (arrays & OF_L)
        i = min_size(
            i, first_wrong_lse(j->L.data + nth * h->Nq, j->lse, h->Nq, limit));
    table_row(&j->shown, "%zu, %zu|%s|%s|%zu|%zu of %zu", nth / j->l->Hq,
              nth % j->l->Hq, error_text(error).text,
              j->L.data ? error_text(error_L).text : "-", i, i / Br, Br);
}

/* Clears the mistakes that do not explain this wrong head. Returns 0, or 1
 * without memory. */
static int clear_mistakes(judgement *j, size_t nth, int arrays)
{
    head h = head_at(j->l, nth);

    j->arrays |= arrays;
    for (size_t k = 0; k < KNOWN_MISTAKES; k++) {
        int fits = 0;

        if (!(known_mistakes[k].of & arrays) || j->cleared[k])
            continue;
        fits = known_mistakes[k].of & OF_L
                   ? lse_mistake_fits(k, &h, sink_of(j->p, nth),
                                      j->L.data + nth * h.Nq)
                   : mistake_fits(k, j->p, nth, j->O.data, j->truth, j->lse,
                                  &j->Bc[k]);
        if (fits < 0)
            return 1;
        j->cleared[k] = !fits;
    }
    return 0;
}

static int judge_head(judgement *j, size_t nth)
{
    head h = head_at(j->l, nth);
    const float *got = j->O.data + nth * h.Nq * h.dv;
    double limit = allowed(j->o, &h), error, error_L = 0;
    int arrays;

    if (reference_attention(&h, j->truth, j->lse))
        return 1;
    reference_add_sink(sink_of(j->p, nth), h.Nq, h.dv, j->truth, j->lse);
    if (accept_large_masks(&h, sink_of(j->p, nth), got, fmax(limit, never),
                           j->truth))
        return 1;
    error = relative_error(got, j->truth, h.Nq * h.dv);
    j->worst = isnan(j->worst + error) ? (double)NAN : fmax(j->worst, error);
    if (j->L.data)
        error_L = error_of_lse(j->L.data + nth * h.Nq, j->lse, h.Nq);
    arrays = (error <= limit ? 0 : OF_O) | (error_L <= limit ? 0 : OF_L);
    if (arrays && j->wrong++ < MOST_SHOWN)
        show(j, nth, error, error_L, limit, arrays);
    return arrays ? clear_mistakes(j, nth, arrays) : 0;
}

/* Bc may be NULL. */
static void print_mistakes(const bool cleared[], const size_t Bc[], int arrays)
{
    size_t named = 0;

    puts("");
    for (size_t k = 0; k < KNOWN_MISTAKES; k++)
        if (known_mistakes[k].of & arrays && !cleared[k]) {
            named++;
            prose("%s", known_mistakes[k].story);
            if (Bc && Bc[k])
                printf("(In tiles of %zu.)\n", Bc[k]);
        }
    if (!named)
        prose("None of %zu known mistakes explains the error. Storage in 16 "
              "bits has an error of about 5e-04 (fp16) or 4e-03 (bf16).",
              mistakes_of(arrays));
    for (size_t k = 0; k < KNOWN_MISTAKES; k++)
        if (known_mistakes[k].of & arrays && !cleared[k])
            printf("suspect: %s\n", known_mistakes[k].name);
    if (!named)
        puts("suspect: none");
}

static int print_verdict(const judgement *j)
{
    print_problem(j->l, 0);
    printf("Heads that are wrong: %zu of %zu; the largest error of O: %s\n",
           j->wrong, heads_of(j->l), error_text(j->worst).text);
    if (j->wrong == 0)
        return RIGHT;
    table_print(&j->shown);
    print_mistakes(j->cleared, j->Bc, j->arrays);
    return WRONG;
}

static int judge_forward(const option o[], const problem *p)
{
    const head *h = &p->layer.each;
    judgement j = {.o = o, .p = p, .l = &p->layer};
    int status =
        read_shaped(&j.O, o[JUDGED].file, &p->O) ||
                (o[LSE_IN].given && read_shaped(&j.L, o[LSE_IN].file, &p->L))
            ? CANNOT
            : RIGHT;

    j.truth = reference_numbers(h->Nq * h->dv);
    j.lse = reference_numbers(h->Nq);
    table_row(&j.shown, "batch, head|error of O|of L|first wrong row|its tile");
    for (size_t nth = 0; nth < heads_of(j.l) && status == RIGHT; nth++) {
        progress("float64: head %zu of %zu", nth + 1, heads_of(j.l));
        if (!j.truth || !j.lse || judge_head(&j, nth))
            status = refused(CANNOT, "float64 reference", "out of memory");
    }
    progress_done();
    if (status == RIGHT)
        status = print_verdict(&j);
    free(j.truth);
    free(j.lse);
    npy_free(&j.O);
    npy_free(&j.L);
    return status;
}

/* --- Backward ------------------------------------------------------------- */

/* a is 0 for dQ, 1 for dK, 2 for dV. Returns the first of the query heads that
 * share the row's key head. */
static size_t print_wrong_row(const backward_problem *b, int a, double allowed)
{
    const layer *l = &b->forward.layer;
    const head *h = &l->each;
    size_t group = l->Hq / l->Hk, H = a == 0 ? l->Hq : l->Hk;
    size_t rows = a == 0 ? h->Nq : h->Nk, cols = a == 2 ? h->dv : h->d;
    size_t all_rows = a == 0 ? known_queries(b) : known_keys(b), i;
    const npy_array *const got[] = {&b->dQ, &b->dK, &b->dV};
    const double *const want[] = {b->truth_Q, b->truth_K, b->truth_V};

    i = first_wrong_row(got[a]->data, want[a], all_rows, cols, allowed);
    printf("  first wrong row: %zu of batch %zu, head %zu\n", i % rows,
           i / rows / H, i / rows % H);
    return i / rows / (a == 0 ? group : 1) * group;
}

/* Query heads from `first` share a key head. Returns WRONG or CANNOT. */
static int try_gradient_mistakes(const backward_problem *b, size_t first,
                                 const bool given[3], double limit)
{
    bool cleared[KNOWN_MISTAKES] = {false};

    for (size_t k = 0; k < KNOWN_MISTAKES; k++) {
        int fits = 0;

        if (!(known_mistakes[k].of & OF_GRADIENTS))
            continue;
        progress("trying %s", known_mistakes[k].name);
        fits = gradient_mistake_fits(k, b, first, given, limit);
        progress_done();
        if (fits < 0)
            return refused(CANNOT, "float64 reference", "out of memory");
        cleared[k] = !fits;
    }
    print_mistakes(cleared, NULL, OF_GRADIENTS);
    return WRONG;
}

static int judge_gradients(const option o[], backward_problem *b)
{
    const bool given[] = {o[GRAD_Q].given, o[GRAD_K].given, o[GRAD_V].given};
    const layer *l = &b->forward.layer;
    gradient_errors e = problem_gradient_errors(b);
    gradient_errors sizes = gradient_sizes_of(b);
    size_t first = 0;
    double limit = 0;
    int status = RIGHT;

    if (b->forward.status)
        return CANNOT; /* out of memory for the gradients in float64 */
    for (size_t nth = 0; nth < heads_of(l); nth++) {
        head h = head_at(l, nth);
        double spacing = large_mask_spacing(&h);

        if (spacing < 0)
            return refused(CANNOT, "float64 reference", "out of memory");
        limit = fmax(limit, fmax(2 * allowed(o, &h), fmin(spacing, never)));
    }
    print_problem(l, 0);
    for (int a = 0; a < 3; a++) {
        double error = a == 0 ? e.dQ : a == 1 ? e.dK : e.dV;
        double size = a == 0 ? sizes.dQ : a == 1 ? sizes.dK : sizes.dV;
        bool right = error <= limit;

        if (!given[a])
            continue;
        printf("d%c: the error is %s: %s\n", "QKV"[a], error_text(error).text,
               right ? "right" : "wrong");
        if (!right && b->known > 0) {
            size_t group = print_wrong_row(b, a, limit * size);

            first = status == RIGHT ? group : first;
        }
        status = right ? status : WRONG;
    }
    if (status == WRONG && b->known > 0)
        status = try_gradient_mistakes(b, first, given, limit);
    else if (status == WRONG)
        puts("suspect: none");
    return status;
}

static int judge_backward(const option o[], user_problem *u)
{
    backward_problem *b = &u->b;
    problem *p = &b->forward;
    const npy_array *const shapes[] = {&p->Q, &p->K, &p->V};
    npy_array *const grads[] = {&b->dQ, &b->dK, &b->dV};

    if (user_problem_backward(u, o[GRAD_OUT].file))
        return CANNOT;
    for (int k = 0; k < 3; k++) {
        if (!o[GRAD_Q + k].given)
            continue;
        npy_free(grads[k]);
        if (read_shaped(grads[k], o[GRAD_Q + k].file, shapes[k]))
            return CANNOT;
    }
    return judge_gradients(o, b);
}

/* --- The command ---------------------------------------------------------- */

static const option_rule rules[] = {
    {LSE_IN, LSE_IN, ONLY_WITH, JUDGED, JUDGED},
    {JUDGED, JUDGED, NOT_WITH, GRAD_OUT, GRAD_V},
    {GRAD_OUT, GRAD_OUT, ONLY_WITH, GRAD_Q, GRAD_V},
    {0},
};

/* `flash judge O.npy` means `flash judge --o O.npy`. */
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
    o[OPT_BR].help = "queries per tile of your kernel, with --bc";
    o[OPT_BC].help = "keys per tile of your kernel";
    o[OPT_SRAM].help = NULL;
    o[JUDGED] =
        (option)FILE_OPTION("o", "O.npy", "your O (or the first argument)");
    o[LSE_IN] = (option)FILE_OPTION("lse", "L.npy", "your L, with --o");
    o[GRAD_OUT] = (option)FILE_OPTION("grad-out", "dO.npy",
                                      "(B, Hq, Nq, dv); random if omitted");
    o[GRAD_Q] = (option)FILE_OPTION("dq", "dQ.npy", "your gradient of Q");
    o[GRAD_K] = (option)FILE_OPTION("dk", "dK.npy", "your gradient of K");
    o[GRAD_V] = (option)FILE_OPTION("dv", "dV.npy", "your gradient of V");
    o[ERROR] =
        (option)NUMBER_OPTION("error", "e", 0, "the allowed relative error");
    if (!parse(o, argc, argv, &status))
        return status;
    if (!o[JUDGED].given && !options_given(o, GRAD_Q, GRAD_V))
        return refused(CANNOT, "flash judge",
                       "no array to judge (O.npy, --dq, --dk or --dv)");
    if (options_obey(o, rules) || problem_check(o))
        return CANNOT;
    status = user_problem_of(&u, o, NULL) ? CANNOT : RIGHT;
    /* An additive mask can replace the block mask, because no step runs. */
    if (u.b.forward.truth_of)
        u.b.forward.layer = u.masked;
    if (status == RIGHT)
        status = o[JUDGED].given ? judge_forward(o, &u.b.forward)
                                 : judge_backward(o, &u);
    user_problem_free(&u);
    return status;
}
